/** Are inputs healthy, who may, who looked. */
import type { ComponentType } from 'preact';
import { pathOf, route } from '../route';
import { may } from '../store/store';
import { words } from '../words/en';
import { Failure } from '../ui/parts';
import { Accounts, Tokens } from './access';
import { Audit } from './audit';
import { Health, Retention, RulebookPage, Sources } from './health';
import '../style/tables.css';
import '../style/findings.css';

const PAGES: Record<string, ComponentType> = {
  sources: Sources,
  rulebook: RulebookPage,
  accounts: Accounts,
  tokens: Tokens,
  retention: Retention,
  audit: Audit,
  health: Health,
};

export function AdminScreen() {
  const page = route.value.id ?? 'health';
  const Page = PAGES[page] ?? Health;
  if (!may('admin')) return <Failure title={words.errors.title} text={words.errors.forbidden('admin')} />;
  return (
    <div class="admin">
      <nav class="admin-nav" aria-label={words.admin.title}>
        {Object.entries(words.admin.pages).map(([id, name]) => (
          <a key={id} href={pathOf('admin', id)} aria-current={id === page ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <div class="admin-main">
        <header class="screen-head">
          <h1>{words.admin.pages[page] ?? words.admin.title}</h1>
        </header>
        <div class="admin-body">
          <Page />
        </div>
      </div>
    </div>
  );
}
