import type { Argument, CasePage } from '../api/types';
import { useApi } from '../api/use_api';
import { CopyCommand } from '../components/copy_command';
import { Link } from '../components/link';
import { Empty, Loading } from '../components/message';
import { OutcomeMark } from '../components/outcome_mark';
import { Facts } from '../components/provenance';
import { neighbours } from '../lib/case_list';
import { micros } from '../lib/format';
import { useKeys } from '../lib/keys';
import { look } from '../lib/outcomes';
import { navigate, to } from '../lib/router';
import { useTitle } from '../lib/title';
import { CaseHistory } from './case_history';
import { CaseOutput } from './case_output';

const ROLES: Record<Argument['role'], string> = {
  in: 'input',
  out: 'output',
  'in/out': 'input and output',
  library: 'allocated by the library',
  '': 'attribute',
};

function Arguments({ page }: { page: CasePage }) {
  if (page.arguments === null) {
    return (
      <>
        <Empty>This server’s data folder does not have this case. The agent recorded:</Empty>
        <p class="mono small">{page.tensor_info || 'nothing'}</p>
      </>
    );
  }
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Arguments">
      <table class="plain">
        <tbody>
          {page.arguments.map((argument) => (
            <tr key={argument.name}>
              <th scope="row" class="mono">
                {argument.name}
              </th>
              <td class="muted nowrap">{ROLES[argument.role] ?? argument.role}</td>
              <td class="mono">{argument.text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Verdict({ page }: { page: CasePage }) {
  const { tone } = look(page.outcome);
  return (
    <section class={`card verdict verdict-${tone}`} aria-label="Verdict">
      <p class="head-line">
        <OutcomeMark outcome={page.outcome} />
        {page.signal && <span class="mono tone-bad">{page.signal}</span>}
        <span class="reason">{page.reason}</span>
      </p>
      {page.likely_cause && (
        <p class="cause">
          <strong>Likely cause</strong> {page.likely_cause}
        </p>
      )}
      {page.error_text && (
        <p>
          <strong>The library says</strong> <span class="mono">{page.error_text}</span>
          {page.error_code !== null && page.error_code !== 0 && ` (code ${page.error_code})`}
        </p>
      )}
      <h2 class="label">Reproduce</h2>
      <CopyCommand command={page.repro} shortcut="c" />
      <Facts
        facts={[
          { name: 'Function', value: <code>{page.function || 'the library as a whole'}</code> },
          { name: 'dtype', value: page.dtype },
          { name: 'Call', value: micros(page.call_us) },
          { name: 'With checks', value: micros(page.elapsed_us) },
          { name: 'Judged by', value: page.reference || 'no reference was needed' },
          page.adapted && { name: 'Through the adaptor', value: page.conversions.join(', ') || 'yes' },
          page.contracts.length > 0 && { name: 'Widened by', value: page.contracts.join(', ') },
          page.device_index !== null && { name: 'Card', value: String(page.device_index) },
          !!page.reveals && { name: 'Reveals', value: page.reveals },
          { name: 'Case hash', value: <code class="hash">{page.case_hash}</code> },
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
        <Link href={to.case(run, list.before)} aria-label="Previous case">
          ‹
        </Link>
      ) : (
        <span class="muted">‹</span>
      )}
      <span class="small muted">
        {list.at} of {list.of}
      </span>
      {list.after ? (
        <Link href={to.case(run, list.after)} aria-label="Next case">
          ›
        </Link>
      ) : (
        <span class="muted">›</span>
      )}
    </span>
  );
}

function Body({ page }: { page: CasePage }) {
  return (
    <>
      <Verdict page={page} />
      {page.backtrace && (
        <section>
          <h2>Backtrace</h2>
          <pre class="backtrace" tabIndex={0}>
            {page.backtrace}
          </pre>
        </section>
      )}
      <section>
        <h2>Outputs</h2>
        {page.outputs.length === 0 && <Empty>Nothing was measured: no output was judged.</Empty>}
        {page.outputs.map((output) => (
          <CaseOutput
            key={output.key}
            output={output}
            verdict={page.outcome}
            reference={page.device_reference}
          />
        ))}
      </section>
      <section>
        <h2>Arguments</h2>
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
      <nav class="crumbs" aria-label="Above">
        <Link href={to.runs}>Runs</Link>
        <span aria-hidden="true">/</span>
        <Link href={to.run(run)} class="mono">
          {run}
        </Link>
        {loaded.data && (
          <>
            <span aria-hidden="true">/</span>
            <Link href={to.run(run, { operator: loaded.data.operator })}>
              {loaded.data.operator || 'library'}
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
