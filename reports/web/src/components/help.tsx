import { useRef } from 'preact/hooks';
import { useKeys } from '../lib/keys';
import { navigate, to } from '../lib/router';

const KEYS: [string, string][] = [
  ['/', 'go to the search field; Esc leaves it'],
  ['j  k', 'next or previous row of the table (on a case: next or previous case of the list)'],
  ['Enter', 'open the row'],
  ['PgUp PgDn Home End', 'move in the table that has the focus'],
  ['c', 'on a case: copy the reproducing command'],
  ['o  r  v', 'overview, runs, coverage'],
  ['?', 'this list'],
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
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
      >
        <span aria-hidden="true">?</span>
      </button>
      <dialog ref={dialog} class="help" aria-labelledby="help-title">
        <h2 id="help-title">Keyboard</h2>
        <dl>
          {KEYS.map(([key, says]) => (
            <div key={key}>
              <dt>
                {key.split(/\s+/).map((k) => (
                  <kbd key={k}>{k}</kbd>
                ))}
              </dt>
              <dd>{says}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}
