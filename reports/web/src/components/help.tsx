import { useRef } from 'preact/hooks';
import { docsHref } from '../lib/docs';
import { t, type PlainKey } from '../lib/i18n';
import { useKeys } from '../lib/keys';
import { navigate, to } from '../lib/router';

const KEYS: [string, PlainKey][] = [
  ['/', 'keys.search'],
  ['j  k', 'keys.rows'],
  ['Enter', 'keys.enter'],
  ['PgUp PgDn Home End', 'keys.table'],
  ['c', 'keys.copy'],
  ['o  r  v', 'keys.pages'],
  ['?', 'keys.this'],
];

// The list of keys, and the keys that work on every page.
export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = () => dialog.current?.showModal();
  useKeys({
    '?': open,
    '/': () => document.querySelector<HTMLInputElement>('input[type=search]')?.focus(),
    o: () => navigate(to.overview),
    r: () => navigate(to.runs),
    v: () => navigate(to.coverage),
  });
  return (
    <>
      <button
        type="button"
        class="icon-button"
        onClick={open}
        aria-label={t('keys.open')}
        title={`${t('keys.open')} (?)`}
      >
        <span aria-hidden="true">?</span>
      </button>
      <dialog ref={dialog} class="help" aria-labelledby="help-title">
        <h2 id="help-title">{t('keys.title')}</h2>
        <dl>
          {KEYS.map(([key, says]) => (
            <div key={key}>
              <dt>
                {key.split(/\s+/).map((k) => (
                  <kbd key={k}>{k}</kbd>
                ))}
              </dt>
              <dd>{t(says)}</dd>
            </div>
          ))}
        </dl>
        <p class="small">
          <a href={docsHref()}>{t('docs.all')}</a> ·{' '}
          <a href={docsHref('outcomes.html')}>{t('docs.outcomes')}</a>
        </p>
        <form method="dialog">
          <button type="submit" autofocus>
            {t('keys.close')}
          </button>
        </form>
      </dialog>
    </>
  );
}
