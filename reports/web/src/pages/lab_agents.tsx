import type { AgentRow } from '../api/messages';
import { useApi } from '../api/use_api';
import { ChipLink } from '../components/chip_link';
import { Exported } from '../components/exported';
import { Link } from '../components/link';
import { Loading } from '../components/message';
import { Head } from '../components/tips';
import { textOr } from '../lib/findings';
import { ago, shortHash, time } from '../lib/format';
import { t } from '../lib/i18n';
import { to } from '../lib/router';

const LOOKS: Record<AgentRow['state'], { sign: string; tone: string }> = {
  online: { sign: '●', tone: 'good' },
  busy: { sign: '▶', tone: 'good' },
  unhealthy: { sign: '✕', tone: 'bad' },
  lost: { sign: '⊘', tone: 'bad' },
};

function Row({ agent }: { agent: AgentRow }) {
  const { sign, tone } = LOOKS[agent.state];
  return (
    <tr>
      <th scope="row" class="mono">
        {agent.agent_id}
      </th>
      <td>
        <ChipLink chip={agent.chip} />
      </td>
      <td>{agent.host}</td>
      <td class={`nowrap tone-${tone}`}>
        <span aria-hidden="true">{sign}</span> {t(`agent_state.${agent.state}`)}
      </td>
      <td class="nowrap">
        <time dateTime={agent.seen ?? ''} title={time(agent.seen)}>
          {ago(agent.seen)}
        </time>
      </td>
      <td>
        {agent.run_id ? (
          <>
            <Link class="mono" href={to.run(agent.run_id)}>
              {agent.run_id}
            </Link>{' '}
            <span class="muted">
              {agent.cases
                ? t('run.done_of', { done: agent.done ?? 0, cases: agent.cases })
                : t('explore.n_calls', { n: agent.done ?? 0 })}
            </span>
          </>
        ) : (
          <span class={agent.state === 'unhealthy' ? '' : 'muted'}>
            {textOr(agent.health_found, agent.health) || t('common.none')}
          </span>
        )}
      </td>
      <td class="wide nowrap">
        {agent.impl_version || t('common.no_version')}{' '}
        <code class="hash">{shortHash(agent.impl_sha256)}</code>
      </td>
    </tr>
  );
}

// The standing agents; nothing where there are none.
export function LabAgents() {
  const agents = useApi<{ agents: AgentRow[] }>('/agents', 5000);
  if (agents.data?.agents.length === 0 || (agents.data === null && agents.error === null)) return null;
  return (
    <>
      <h2 class="section">{t('lab.agents')}</h2>
      <Loading loaded={agents}>
        {(data) => (
          <Exported name="agents">
            <div class="table-scroll" tabIndex={0} role="region" aria-label={t('lab.agents')}>
              <table class="plain">
                <thead>
                  <tr>
                    <Head>{t('facts.agent')}</Head>
                    <Head>{t('common.chip')}</Head>
                    <Head>{t('facts.host')}</Head>
                    <Head says={t('term.agent_state')}>{t('runs.state')}</Head>
                    <Head says={t('term.agent_seen')}>{t('lab.seen')}</Head>
                    <Head says={t('term.agent_run')}>{t('lab.works_on')}</Head>
                    <Head says={t('term.library')} class="wide">
                      {t('column.library')}
                    </Head>
                  </tr>
                </thead>
                <tbody>
                  {data.agents.map((agent) => (
                    <Row key={agent.agent_id} agent={agent} />
                  ))}
                </tbody>
              </table>
            </div>
          </Exported>
        )}
      </Loading>
    </>
  );
}
