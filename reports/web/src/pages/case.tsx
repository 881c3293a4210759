import type { CasePage, ShownArgument } from '../api/messages';
import { useApi } from '../api/use_api';
import { CopyCommand } from '../components/copy_command';
import { Exported } from '../components/exported';
import { Link } from '../components/link';
import { Empty, Loading } from '../components/message';
import { OutcomeMark } from '../components/outcome_mark';
import { Facts } from '../components/provenance';
import { neighbours } from '../lib/case_list';
import { outcomeHref } from '../lib/docs';
import { detailText, reasonText, textOr } from '../lib/findings';
import { micros } from '../lib/format';
import { t, type PlainKey } from '../lib/i18n';
import { useKeys } from '../lib/keys';
import { look } from '../lib/outcomes';
import { navigate, to } from '../lib/router';
import { useTitle } from '../lib/title';
import { CaseHistory } from './case_history';
import { CaseOutput } from './case_output';

const ROLES: Record<string, PlainKey> = {
  in: 'role.in',
  out: 'role.out',
  'in/out': 'role.in_out',
  library: 'role.library',
  '': 'role.attribute',
};

function Role({ role }: Pick<ShownArgument, 'role'>) {
  const text = ROLES[role];
  return <>{text ? t(text) : role}</>;
}

function Arguments({ page }: { page: CasePage }) {
  if (page.arguments === null) {
    return (
      <>
        <Empty>{t('case.not_here')}</Empty>
        <p class="mono small">{page.tensor_info || t('case.nothing')}</p>
      </>
    );
  }
  return (
    <Exported name="arguments">
      <div class="table-scroll" tabIndex={0} role="region" aria-label={t('case.arguments')}>
        <table class="plain">
          <tbody>
            {page.arguments.map((argument) => (
              <tr key={argument.name}>
                <th scope="row" class="mono">
                  {argument.name}
                </th>
                <td class="muted nowrap">
                  <Role role={argument.role} />
                </td>
                <td class="mono">{argument.text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Exported>
  );
}

function Verdict({ page }: { page: CasePage }) {
  const { tone } = look(page.outcome);
  return (
    <section class={`card verdict verdict-${tone}`} aria-label={t('case.verdict')}>
      <p class="head-line">
        <OutcomeMark outcome={page.outcome} />
        <a class="small" href={outcomeHref(page.outcome)}>
          {t('docs.meaning')}
        </a>
        {page.signal && <span class="mono tone-bad">{page.signal}</span>}
        <span class="reason">{reasonText(page)}</span>
      </p>
      {page.likely_cause && (
        <p class="cause">
          <strong>{t('case.likely_cause')}</strong> {textOr(page.cause, page.likely_cause)}
        </p>
      )}
      {page.error_text && (
        <p>
          <strong>{t('case.library_says')}</strong> <span class="mono">{page.error_text}</span>
          {page.error_code !== null &&
            page.error_code !== 0 &&
            ` ${t('case.code', { code: String(page.error_code) })}`}
        </p>
      )}
      <h2 class="label">{t('case.reproduce')}</h2>
      <CopyCommand command={page.repro} shortcut="c" />
      <Facts
        facts={[
          {
            name: t('column.function'),
            value: <code>{page.function || t('common.library_as_a_whole')}</code>,
          },
          { name: t('common.dtype'), value: page.dtype },
          { name: t('case.call'), value: micros(page.call_us) },
          { name: t('case.with_checks'), value: micros(page.elapsed_us) },
          { name: t('case.judged_by'), value: page.reference || t('case.no_reference') },
          page.adapted && {
            name: t('case.adaptor'),
            value: page.conversions.join(t('common.list_separator')) || t('case.yes'),
          },
          page.contracts.length > 0 && { name: t('case.widened'), value: page.contracts.join(', ') },
          page.device_index !== null && { name: t('case.device'), value: String(page.device_index) },
          !!page.reveals && { name: t('case.reveals'), value: <span lang="en">{page.reveals}</span> },
          { name: t('case.hash'), value: <code class="hash">{page.case_hash}</code> },
        ]}
      />
    </section>
  );
}

function NextPrevious({ run, caseId }: { run: string; caseId: string }) {
  const list = neighbours(run, caseId);
  const go = (id: string | null | undefined) => {
    if (id) navigate(to.case(run, id));
  };
  useKeys({ j: () => go(list?.after), k: () => go(list?.before) });
  if (!list) return null;
  return (
    <span class="neighbours">
      {list.before ? (
        <Link href={to.case(run, list.before)} aria-label={t('case.previous')}>
          ‹
        </Link>
      ) : (
        <span class="muted">‹</span>
      )}
      <span class="small muted">{t('common.of', { n: list.at, all: list.of })}</span>
      {list.after ? (
        <Link href={to.case(run, list.after)} aria-label={t('case.next')}>
          ›
        </Link>
      ) : (
        <span class="muted">›</span>
      )}
    </span>
  );
}

function Outputs({ page, outputs }: { page: CasePage; outputs: CasePage['outputs'] }) {
  return (
    <>
      {outputs.map((output) => (
        <CaseOutput
          key={output.key}
          output={output}
          detail={detailText(output, page)}
          verdict={page.outcome}
          reference={page.device_reference}
        />
      ))}
    </>
  );
}

function Body({ page }: { page: CasePage }) {
  const wrong = page.outputs.filter(({ ok }) => !ok);
  const right = page.outputs.filter(({ ok }) => ok);
  return (
    <>
      <Verdict page={page} />
      {page.backtrace && (
        <section>
          <h2>{t('case.backtrace')}</h2>
          <pre class="backtrace" tabIndex={0}>
            {page.backtrace}
          </pre>
        </section>
      )}
      <section>
        <h2>{t('case.outputs')}</h2>
        {page.outputs.length === 0 && <Empty>{t('case.no_output')}</Empty>}
        <Outputs page={page} outputs={wrong.length > 0 ? wrong : page.outputs} />
        {wrong.length > 0 && right.length > 0 && (
          <details class="more">
            <summary>{t('case.right_outputs', { n: right.length })}</summary>
            <Outputs page={page} outputs={right} />
          </details>
        )}
      </section>
      <section>
        <h2>{t('case.arguments')}</h2>
        <Arguments page={page} />
      </section>
      <CaseHistory run={page.run_id} caseId={page.case_id} chip={page.chip} />
    </>
  );
}

export function CasePageView({ run, caseId }: { run: string; caseId: string }) {
  useTitle(caseId);
  const loaded = useApi<CasePage>(`/runs/${encodeURIComponent(run)}/cases/${encodeURIComponent(caseId)}`);
  return (
    <>
      <nav class="crumbs" aria-label={t('app.above')}>
        <Link href={to.runs}>{t('runs.title')}</Link>
        <span aria-hidden="true">/</span>
        <Link href={to.run(run)} class="mono">
          {run}
        </Link>
        {loaded.data && (
          <>
            <span aria-hidden="true">/</span>
            <Link href={to.run(run, { operator: loaded.data.operator })}>
              {loaded.data.operator || t('common.library')}
            </Link>
          </>
        )}
        <span class="spring" />
        <NextPrevious run={run} caseId={caseId} />
      </nav>
      <h1 class="mono">{caseId}</h1>
      <Loading loaded={loaded}>{(page) => <Body page={page} />}</Loading>
    </>
  );
}
