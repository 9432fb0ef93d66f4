/** What is personal: colours, units, sound, keys; and the way out. */
import { palette, type Palette } from '../map/palette';
import { pathOf } from '../route';
import { prefs, setPref } from '../store/prefs';
import { here, may, me } from '../store/store';
import { SPEED_UNITS } from '../units';
import { words } from '../words/en';
import licences from '../licences.txt?url';
import { logOut } from './login';
import { Button, Choice, Pick } from './parts';

export function Settings({ onDone, isPhone }: { onDone: () => void; isPhone?: boolean }) {
  const mine = prefs.value;
  const isDark = palette.value !== 'day';
  const s = words.settings;
  return (
    <div class="settings">
      <p class="is-second">
        {me.value?.user ?? words.bar.demo}
        {me.value?.role && ` · ${words.admin.roleName(me.value.role)}`}
      </p>
      {isPhone && (
        <div class="rows">
          {may('officer') && (
            <a class="button is-plain" href={pathOf('vessels')} onClick={onDone}>
              {words.screens.vessels}
            </a>
          )}
          {may('admin') && (
            <a class="button is-plain" href={pathOf('admin', 'health')} onClick={onDone}>
              {words.screens.admin}
            </a>
          )}
          <a class="button is-plain" href={pathOf('public', here.value)} onClick={onDone}>
            {words.public.inForce}
          </a>
        </div>
      )}
      <p class="label">{s.palette}</p>
      <Choice<Palette | 'auto'>
        label={s.palette}
        value={mine.palette}
        onChange={(value) => setPref({ palette: value })}
        options={(['auto', 'day', 'dusk', 'night'] as const).map((name) => [
          name,
          words.bar.paletteNames[name] ?? name,
        ])}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={mine.is_full_sun}
          onChange={(event) => setPref({ is_full_sun: event.currentTarget.checked })}
        />{' '}
        {s.sun}
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={mine.is_red}
          onChange={(event) => setPref({ is_red: event.currentTarget.checked })}
        />{' '}
        {s.red}
      </label>
      {isDark && (
        <label class="range">
          {s.dim}{' '}
          <input
            type="range"
            min={40}
            max={100}
            value={mine.dim}
            onInput={(event) => setPref({ dim: Number(event.currentTarget.value) })}
          />{' '}
          {mine.dim} %
        </label>
      )}
      <Pick
        label={s.units}
        value={mine.speed ?? ''}
        onChange={(value) =>
          setPref({
            speed: (value || null) as typeof mine.speed,
            distance: value === 'mph' ? 'ft' : value ? 'm' : null,
          })
        }
        options={[
          ['', s.none],
          ...SPEED_UNITS.map((unit) => [unit, `${unit}, ${unit === 'mph' ? 'ft' : 'm'}`] as const),
        ]}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={mine.has_sound}
          onChange={(event) => setPref({ has_sound: event.currentTarget.checked })}
        />{' '}
        {s.sound}
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={mine.has_keys}
          onChange={(event) => setPref({ has_keys: event.currentTarget.checked })}
        />{' '}
        {words.keys.on}
      </label>
      <div class="rows">
        <a class="is-second" href={licences} target="_blank" rel="noreferrer">
          {s.about}
        </a>
        {me.value?.user && !me.value.is_demo && (
          <Button icon="logout" onClick={() => void logOut()}>
            {words.bar.logout}
          </Button>
        )}
      </div>
    </div>
  );
}
