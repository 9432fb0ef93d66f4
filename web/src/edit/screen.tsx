/** The map editor: draw, forms, faults where they are, draft beside published, what would change, publish. */
import type { Feature } from 'geojson';
import { useEffect, useState } from 'preact/hooks';
import { MapControls, LayerList, Scale, useLayerSwitches } from '../live/controls';
import { MapView, type MapHandle } from '../map/view';
import { prepare, zones, zonesFault } from '../map/zones';
import { route, setQuery } from '../route';
import { may, waterway } from '../store/store';
import { words } from '../words/en';
import { screenKeys } from '../ui/keys';
import { Icon } from '../ui/icons';
import { Button, Choice, Failure, Menu, Pick } from '../ui/parts';
import { isPhone } from '../ui/size';
import { failed } from '../live/doing';
import { startDrawing, takeDrawn } from './draw';
import { showEditing } from './editlayers';
import { errorsIn, warningsIn } from './faults';
import { chosenEffect, WhatWouldChange } from './effect';
import { FeatureForm } from './form';
import { later } from './later';
import { DrawMeasure, FixedCross, PlaceHere } from './measure';
import { KINDS_OF } from './kinds';
import { LintList } from './lint';
import { beginOrdering, clickBuoy, endOrdering, lineOf, ordering } from './order';
import { isMine, otherDrafts, runsOf, watchDrafts } from './others';
import { History } from './history';
import { FeatureList } from './panels';
import { ClashDialog, DeleteDialog, DraftEnd, DraftPick, PublishDialog } from './publish';
import { linesByRule } from './ruleline';
import { VersionScreen } from './version';
import {
  canRedo,
  canUndo,
  closeDraft,
  derived,
  draft,
  faults,
  look,
  newKind,
  openDraft,
  panel,
  readPublished,
  redo,
  saveState,
  selected,
  selectedId,
  source,
  tool,
  undo,
  type Look,
  type Panel,
} from './state';
import '../style/edit.css';
import '../style/editform.css';
import '../style/editchanges.css';
import '../style/editimport.css';
import '../style/editphone.css';

const ImportDialog = later(() => import('./import').then((part) => part.ImportDialog));

export function EditScreen() {
  const { id, rest } = route.value;
  const [part, version] = rest;
  return id && part === 'history' && version ? <VersionScreen id={id} version={version} /> : <Editor />;
}

function Editor() {
  const { id, query: link } = route.value;
  const tab = panel.value;
  const [isClosed, setClosed] = useState(false);
  const [isPublishing, setPublishing] = useState(false);
  const [isImporting, setImporting] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  useLayerSwitches();
  const openPanel = (one: Panel): void => {
    panel.value = one;
    setClosed(false);
    setQuery({ panel: one });
  };

  useEffect(() => {
    if (!id) return;
    panel.value = (route.value.query.get('panel') as Panel | null) ?? 'features';
    const wanted = route.value.query.get('draft');
    if (wanted) openDraft(wanted).catch(failed);
    const stop = watchDrafts(id);
    return () => {
      stop();
      closeDraft();
    };
  }, [id]);
  const inForce = waterway.value?.law.map_version;
  useEffect(() => {
    if (!id) return;
    setFault(null);
    readPublished(id).catch((cause: Error) => setFault(cause.message));
  }, [id, inForce]);
  useEffect(() => {
    setQuery({ draft: draft.value?.id ?? null }, true);
  }, [draft.value?.id]);
  useEffect(() => {
    setQuery({ sel: selectedId.value });
  }, [selectedId.value]);
  useEffect(() => {
    const keys = (event: KeyboardEvent): boolean => {
      if (!(event.ctrlKey || event.metaKey)) return false;
      if (event.key === 'z') undo();
      else if (event.key === 'y' || event.key === 'Z') redo();
      else return false;
      return true;
    };
    screenKeys.push(keys);
    return () => {
      screenKeys.splice(screenKeys.indexOf(keys), 1);
    };
  }, []);

  const ready = (handle: MapHandle): (() => void) => {
    const endDrawing = startDrawing(handle, takeDrawn);
    const endEditing = showEditing(handle);
    handle.map.on('click', (event) => {
      if (!draft.value) return;
      const { x, y } = event.point;
      const pin = handle.map.queryRenderedFeatures(event.point, { layers: ['ed_job'] })[0];
      if (pin) {
        chosenEffect.value = String(pin.properties.finding);
        panel.value = 'what';
        return;
      }
      const hit = handle.map
        .queryRenderedFeatures([
          [x - 8, y - 8],
          [x + 8, y + 8],
        ])
        .filter((one) => one.source === 'zones' && !one.properties.derived && one.properties.kind);
      // Points before lines before areas: the small ones are what is meant.
      const order: Record<string, number> = {
        Point: 0,
        LineString: 1,
        MultiLineString: 1,
        Polygon: 2,
        MultiPolygon: 2,
      };
      const first = hit.sort(
        (a, b) =>
          (order[a.geometry.type] ?? 3) - (order[b.geometry.type] ?? 3) ||
          Number(a.properties.kind === 'waterway') - Number(b.properties.kind === 'waterway'),
      )[0];
      if (tool.value === 'reorder') clickBuoy(first ? String(first.properties._id) : null);
      else if (tool.value === 'select' && first) {
        selectedId.value = String(first.properties._id);
        panel.value = 'form';
      }
    });
    return () => {
      endDrawing();
      endEditing();
    };
  };
  const e = words.edit;
  const errors = errorsIn(faults.value);
  const shownZones =
    look.value === 'published' || !draft.value
      ? zones.value
      : (derived.value ?? (source.value ? prepare(id ?? '', null, source.value) : null));
  const tabs: [Panel, string][] = [
    ['features', e.tabs.features],
    ['lint', e.lint(errors, warningsIn(faults.value))],
    ['form', e.tabs.form],
    ['what', e.tabs.what],
    ['past', e.tabs.past],
  ];
  return (
    <div class="edit">
      <h1 class="unseen">{words.screens.map}</h1>
      {draft.value && <Head errors={errors} onWhat={() => openPanel('what')} onPublish={() => setPublishing(true)} />}
      {draft.value && errors > 0 && <div class="strip-note is-warn">{e.blocked(errors)}</div>}
      {draft.value && <OtherEditors />}
      {draft.value && inForce && draft.value.base_version !== inForce && (
        <div class="strip-note">{e.publishedSince}</div>
      )}
      {(look.value === 'published' || !draft.value) && (
        <div class="strip-note">{zonesFault.value === 'none' ? words.live.noMap : e.looking}</div>
      )}
      {fault && <Failure title={words.errors.title} text={fault} />}
      <div class="edit-main">
        <MapView
          label={words.live.map}
          zones={shownZones}
          at={link.get('at')}
          topRoom={84}
          onReady={ready}
          onMove={(at) => setQuery({ at })}
        >
          {draft.value && (
            <>
              <DrawMeasure />
              <FixedCross />
            </>
          )}
          {draft.value && (
            <div class="map-top">
              <Tools onImport={() => setImporting(true)} />
              <ToolHint />
            </div>
          )}
          {draft.value && <PlaceHere />}
          <div class="map-right">
            <MapControls isPhone={isPhone.value} />
            <LayerList />
          </div>
          <div class="map-bottom">
            <div class="map-corner">
              <LineKey />
              <Scale />
            </div>
          </div>
        </MapView>
        <aside
          class={
            isPhone.value && draft.value && (isClosed || tool.value !== 'select')
              ? 'panel edit-panel is-closed'
              : 'panel edit-panel'
          }
          aria-label={e.tabs.form}
        >
          {!draft.value ? (
            <div class="edit-scroll">
              <DraftPick />
            </div>
          ) : (
            <>
              <div class="panel-tabs is-top" role="group" aria-label={e.tabs.features}>
                {tabs.map(([one, name]) => (
                  <button
                    type="button"
                    key={one}
                    aria-pressed={one === tab}
                    onClick={() => {
                      // On the phone a second tap on it leaves the room to the map.
                      if (isPhone.value && one === tab && !isClosed) setClosed(true);
                      else openPanel(one);
                    }}
                  >
                    {name}
                  </button>
                ))}
              </div>
              <div class="edit-scroll">
                {tab === 'features' && <FeatureList />}
                {tab === 'lint' && <LintList />}
                {tab === 'form' && <FeatureForm />}
                {tab === 'what' && <WhatWouldChange />}
                {tab === 'past' && id && <History waterway={id} />}
              </div>
            </>
          )}
        </aside>
      </div>
      {isPublishing && <PublishDialog onClose={() => setPublishing(false)} />}
      {isImporting && <ImportDialog onClose={() => setImporting(false)} />}
      <ClashDialog />
      <DeleteDialog />
    </div>
  );
}

/** Which of two buoy lines holds, while both are on the map. */
function LineKey() {
  if (!linesByRule.value.length || look.value === 'published') return null;
  const { declared, byRule } = words.edit.lineKey;
  return (
    <ul class="line-key panel-float">
      <li>
        <i aria-hidden="true" /> {declared}
      </li>
      <li>
        <i class="is-dashed" aria-hidden="true" /> {byRule}
      </li>
    </ul>
  );
}

/** Who else is editing, and what: said while nothing is lost yet. */
function OtherEditors() {
  const e = words.edit;
  const [others, own] = [otherDrafts.value.filter((one) => !isMine(one)), otherDrafts.value.filter(isMine)];
  if (!others.length && !own.length) return null;
  return (
    <div class="strip-note other-editor" role="status">
      {others.map((one) => (
        <b key={one.id}>{e.isEditing(one.author, runsOf(one.changes ?? []), one.name)} </b>
      ))}
      {own.length > 0 && (
        <span>{e.youElsewhere(own.map((one) => [one.name, runsOf(one.changes ?? [])] as const))}</span>
      )}
    </div>
  );
}

const canSplit = (feature: Feature | null): boolean =>
  !!feature?.geometry && feature.geometry.type !== 'Point' && feature.geometry.type !== 'MultiPoint';

/** What is looked at, Undo, and what becomes of the draft; on the phone most of it behind one button. */
function Head({ errors, onWhat, onPublish }: { errors: number; onWhat: () => void; onPublish: () => void }) {
  const e = words.edit;
  const mine = draft.value!;
  const looks = (
    <Choice<Look>
      label={e.draft}
      options={[
        ['draft', e.draft],
        ['published', e.published],
        ['both', e.both],
      ]}
      value={look.value}
      onChange={(value) => (look.value = value)}
    />
  );
  const undoing = (
    <Button disabled={!canUndo.value} onClick={undo}>
      {e.undo}
    </Button>
  );
  const redoing = (
    <Button disabled={!canRedo.value} onClick={redo}>
      {e.redo}
    </Button>
  );
  const publishing = may('manager') && (
    <Button kind="primary" disabled={errors > 0} title={errors ? e.blocked(errors) : undefined} onClick={onPublish}>
      {e.publish}
    </Button>
  );
  if (isPhone.value)
    return (
      <header class="review-head edit-head">
        <span class="edit-name">
          <b>{mine.name}</b> <SaveState />
        </span>
        {undoing}
        <Menu label={words.more} align="end" button={<Icon name="more" />}>
          {(close) => (
            <div class="edit-menu" onClick={close}>
              {looks}
              {redoing}
              <Button onClick={onWhat}>{e.what}</Button>
              {publishing}
              <DraftEnd />
            </div>
          )}
        </Menu>
      </header>
    );
  return (
    <header class="review-head">
      <b>
        {e.draft} “{mine.name}” <span class="is-second">{e.on(mine.base_version)}</span>
      </b>
      {looks}
      <SaveState />
      <span class="space" />
      <div class="rows">
        {undoing}
        {redoing}
        <Button onClick={onWhat}>{e.what}</Button>
        {publishing}
        <DraftEnd />
      </div>
    </header>
  );
}

function Tools({ onImport }: { onImport: () => void }) {
  const e = words.edit;
  const now = tool.value;
  const line = lineOf(selected.value);
  const isDrawing = now === 'point' || now === 'line' || now === 'area';
  const begin = (what: 'point' | 'line' | 'area'): void => {
    if (!KINDS_OF[what].includes(newKind.value)) newKind.value = KINDS_OF[what][0]!;
    tool.value = what;
  };
  return (
    <div class="action-bar panel-float" role="toolbar" aria-label={e.tabs.features}>
      <Button kind="quiet" aria-pressed={now === 'select'} onClick={() => (tool.value = 'select')}>
        {e.tools.select}
      </Button>
      {(['point', 'line', 'area'] as const).map((what) => (
        <Button key={what} kind="quiet" aria-pressed={now === what} onClick={() => begin(what)}>
          {e.tools[what]}
        </Button>
      ))}
      {isDrawing && (
        <Pick
          isBare
          label={e.kindOf}
          value={newKind.value}
          options={KINDS_OF[now].map((kind) => [kind, words.live.kind(kind)] as const)}
          onChange={(kind) => (newKind.value = kind)}
        />
      )}
      {canSplit(selected.value) && (now === 'select' || now === 'split') && (
        <Button kind="quiet" aria-pressed={now === 'split'} onClick={() => (tool.value = 'split')}>
          {e.tools.split}
        </Button>
      )}
      {line !== null && now === 'select' && (
        <Button kind="quiet" onClick={() => beginOrdering(line)}>
          {e.reorder}
        </Button>
      )}
      {now === 'reorder' && (
        <Button kind="quiet" onClick={endOrdering}>
          {e.order.done}
        </Button>
      )}
      <Button kind="quiet" onClick={onImport}>
        {e.import}
      </Button>
    </div>
  );
}

/** What the next click does. */
function ToolHint() {
  const e = words.edit;
  const now = ordering.value;
  const text =
    tool.value === 'split'
      ? e.splitHow(selectedId.value ?? '')
      : tool.value === 'reorder' && now
        ? e.order.clickNext(now.clicked.length + 1, now.line)
        : tool.value === 'line' || tool.value === 'area'
          ? e.drawHow
          : null;
  // The phone has its own way to draw, under the cross.
  return text && (!isPhone.value || tool.value === 'reorder') ? <p class="tool-hint panel-float">{text}</p> : null;
}

function SaveState() {
  if (!draft.value) return null;
  const { is, why } = saveState.value;
  const e = words.edit;
  return (
    <span class={is === 'unsaved' ? 'is-warning' : 'is-second'} role="status">
      {is === 'saved' ? e.saved : is === 'saving' ? e.saving : e.unsaved(why ?? '')}
    </span>
  );
}
