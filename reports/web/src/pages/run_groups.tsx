import { useRef } from 'preact/hooks';
import type { FailureGroup, Failures } from '../api/messages';
import { CopyCommand } from '../components/copy_command';
import { Exported } from '../components/exported';
import { Link } from '../components/link';
import { Empty } from '../components/message';
import { OutcomeMark } from '../components/outcome_mark';
import { Explained, Head } from '../components/tips';
import { findingText, reasonText, textOr } from '../lib/findings';
import { count } from '../lib/format';
import { t } from '../lib/i18n';
import { useKeys } from '../lib/keys';
import { to } from '../lib/router';

const NAMED = 3;

// "add, sub, mul and 40 more", with all of them in the tooltip.
export function Names({ names, otherwise }: { names: string[]; otherwise: string }) {
  const known = names.map((name) => name || otherwise);
  if (known.length <= NAMED + 1) return <>{known.join(', ')}</>;
  return (
    <>
      {known.slice(0, NAMED).join(', ')}{' '}
      <Explained says={known.join(', ')}>{t('groups.more', { n: known.length - NAMED })}</Explained>
    </>
  );
}

function Group({ run, group }: { run: string; group: FailureGroup }) {
  const { example } = group;
  const cause = textOr(group.finding, group.cause);
  return (
    <tr>
      <td class="num">
        <Link
          class="group-open"
          href={to.run(run, { group: group.key })}
          aria-label={t('groups.open', { cases: t('common.cases', { n: group.cases }), cause })}
        >
          {count(group.cases)}
        </Link>
      </td>
      <td>
        <OutcomeMark outcome={group.outcome} />
      </td>
      <td>
        <Names names={group.operators} otherwise={t('common.library')} />
      </td>
      <td class="group-dtypes">
        <Names names={group.dtypes} otherwise={t('common.none')} />
      </td>
      <td class="group-cause">
        <p>{cause}</p>
        {group.separation && <p class="small">{findingText(group.separation)}</p>}
        <p class="small muted">
          <Link class="mono" href={to.case(run, example.case_id)}>
            {example.case_id}
          </Link>
          {example.reason !== group.cause && `: ${reasonText(example)}`}
        </p>
        {example.reveals && (
          <p class="small muted">
            {t('case.reveals')}: <span lang="en">{example.reveals}</span>
          </p>
        )}
        <details class="more">
          <summary>{t('groups.command')}</summary>
          <CopyCommand command={example.repro} />
        </details>
      </td>
    </tr>
  );
}

// The failures of a run by cause: one defect of a library makes hundreds of cases fail.
export function RunGroups({ run, failures, live }: { run: string; failures: Failures; live: boolean }) {
  const table = useRef<HTMLTableElement>(null);
  const move = (step: number) => {
    const links = [...(table.current?.querySelectorAll<HTMLElement>('.group-open') ?? [])];
    const at = links.findIndex((link) => link === document.activeElement);
    links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
  const { groups, cases } = failures;
  if (groups.length === 0) return <Empty>{t(live ? 'groups.none_yet' : 'groups.none')}</Empty>;
  return (
    <>
      <p class="groups-head">
        {t('groups.in', {
          failures: t('groups.failures', { n: cases }),
          groups: t('groups.groups', { n: groups.length }),
        })}{' '}
        <Link href={to.run(run, { outcome: 'failed,harness_error' })}>{t('groups.list')}</Link>
      </p>
      <Exported name="failures">
        <div class="table-scroll" tabIndex={0} role="region" aria-label={t('run.failures')}>
          <table class="plain groups" ref={table}>
            <thead>
              <tr>
                <Head says={t('term.group_cases')} num>
                  {t('column.cases')}
                </Head>
                <Head says={t('term.outcome')}>{t('column.outcome')}</Head>
                <Head says={t('term.group_operators')}>{t('column.operators')}</Head>
                <Head says={t('term.group_dtypes')}>{t('groups.dtypes')}</Head>
                <Head says={t('term.cause')}>{t('groups.cause')}</Head>
              </tr>
            </thead>
            <tbody>
              {groups.map((group) => (
                <Group key={group.key} run={run} group={group} />
              ))}
            </tbody>
          </table>
        </div>
      </Exported>
    </>
  );
}
