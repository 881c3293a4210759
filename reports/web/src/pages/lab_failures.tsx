import type { LabFailure } from '../api/messages';
import { ChipLink } from '../components/chip_link';
import { Exported } from '../components/exported';
import { Link } from '../components/link';
import { Empty } from '../components/message';
import { OutcomeMark } from '../components/outcome_mark';
import { Head } from '../components/tips';
import { textOr } from '../lib/findings';
import { count } from '../lib/format';
import { t } from '../lib/i18n';
import { to } from '../lib/router';
import { Names } from './run_groups';

const CHIPS = 4; // named at once

function Row({ failure }: { failure: LabFailure }) {
  const entry = ({ chip, run_id, cases }: LabFailure['chips'][number]) => (
    <li key={chip}>
      <ChipLink chip={chip} />{' '}
      <Link href={to.run(run_id, { group: failure.key })}>{t('common.cases', { n: cases })}</Link>
    </li>
  );
  return (
    <tr>
      <td class="num">{count(failure.cases)}</td>
      <td>
        <OutcomeMark outcome={failure.outcome} />
      </td>
      <td>
        <Names names={failure.operators} otherwise={t('common.library')} />
      </td>
      <td class="group-cause">{textOr(failure.finding, failure.cause)}</td>
      <td>
        <ul class="changes">{failure.chips.slice(0, CHIPS).map(entry)}</ul>
        {failure.chips.length > CHIPS && (
          <details class="more">
            <summary>{t('chips.more', { n: failure.chips.length - CHIPS })}</summary>
            <ul class="changes">{failure.chips.slice(CHIPS).map(entry)}</ul>
          </details>
        )}
      </td>
    </tr>
  );
}

const SHOWN = 20;

// The failures of all chips by cause, in each chip's newest run.
export function LabFailures({ failures }: { failures: LabFailure[] }) {
  if (failures.length === 0) return <Empty>{t('groups.none')}</Empty>;
  return (
    <>
      <Exported
        name="failures"
        rows={() => [
          ['chip', 'run', 'cases', 'outcome', 'operators', 'cause', 'example'],
          ...failures.flatMap(({ chips, outcome, operators, cause }) =>
            chips.map(({ chip, run_id, cases, example }) => [
              chip,
              run_id,
              String(cases),
              outcome,
              operators.join(' '),
              cause,
              example,
            ]),
          ),
        ]}
      >
        <div class="table-scroll" tabIndex={0} role="region" aria-label={t('lab.failures')}>
          <table class="plain groups">
            <thead>
              <tr>
                <Head says={t('term.group_cases')} num>
                  {t('column.cases')}
                </Head>
                <Head says={t('term.outcome')}>{t('column.outcome')}</Head>
                <Head says={t('term.group_operators')}>{t('column.operators')}</Head>
                <Head says={t('term.cause')}>{t('lab.cause')}</Head>
                <Head>{t('app.chips')}</Head>
              </tr>
            </thead>
            <tbody>
              {failures.slice(0, SHOWN).map((failure) => (
                <Row key={failure.key} failure={failure} />
              ))}
            </tbody>
          </table>
        </div>
      </Exported>
      {failures.length > SHOWN && (
        <p class="small muted">{t('lab.first_causes', { n: SHOWN, all: failures.length })}</p>
      )}
    </>
  );
}
