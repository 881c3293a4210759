import { useMemo } from 'preact/hooks';
import type { ModelCell, ModelsPage } from '../api/types';
import { useApi } from '../api/use_api';
import { ChipLink } from '../components/chip_link';
import { Link } from '../components/link';
import { Empty, Loading } from '../components/message';
import { SearchField } from '../components/search_field';
import { Head } from '../components/tips';
import { count } from '../lib/format';
import { missingText } from '../lib/models';
import { to, usePlace } from '../lib/router';
import { TERMS } from '../lib/terms';
import { useTitle } from '../lib/title';

function Cell({ cell, chip, model }: { cell: ModelCell | null; chip: string; model: string }) {
  if (!cell) {
    return (
      <td class="coverage-cell tone-none" title={`${model} on ${chip}: not run`}>
        <span class="sign" aria-hidden="true">
          ◌
        </span>
        <span class="visually-hidden">not run</span>
      </td>
    );
  }
  const missing = missingText(cell);
  const functions = [
    ...cell.failing_functions.map((name) => `${name} fails`),
    ...cell.missing_functions.map((name) => `${name} is missing`),
  ];
  return (
    <td class={`coverage-cell tone-${cell.ready ? 'good' : 'bad'}`}>
      <Link href={to.run(cell.run_id, cell.ready ? undefined : { outcome: 'failed' })}>
        <span class="sign" aria-hidden="true">
          {cell.ready ? '✓' : '✕'}
        </span>
        {cell.ready ? 'ready' : `${count(cell.passing)} of ${count(cell.calls)} calls pass`}
      </Link>
      {missing && (
        <details>
          <summary class="small">{missing}</summary>
          <ul class="small mono">
            {functions.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </details>
      )}
      <div class="small muted">
        {cell.scaled > 0 ? `${count(cell.scaled)} of ${count(cell.calls)} scaled` : 'true size'}
      </div>
    </td>
  );
}

function Matrix({ page }: { page: ModelsPage }) {
  const { query } = usePlace();
  const text = (query.get('q') ?? '').toLowerCase();
  // Models that some chip ran come first.
  const models = useMemo(() => {
    const ran = (model: ModelsPage['models'][number]) => Number(model.cells.some((cell) => cell !== null));
    return page.models
      .filter((model) => `${model.name} ${model.summary}`.toLowerCase().includes(text))
      .sort((a, b) => ran(b) - ran(a));
  }, [page, text]);
  return (
    <>
      <div class="filters">
        <SearchField label="Model" />
        <span class="spring" />
        <span class="muted small" role="status">
          {count(models.length)} of {count(page.models.length)} models
        </span>
      </div>
      <div class="coverage-scroll" tabIndex={0} role="region" aria-label="Models by chips">
        <table class="plain coverage">
          <thead>
            <tr>
              <Head says={TERMS.model}>Model</Head>
              <Head>What it is</Head>
              {page.chips.map((chip) => (
                <Head key={chip} says={TERMS.ready}>
                  <ChipLink chip={chip} />
                </Head>
              ))}
            </tr>
          </thead>
          <tbody>
            {models.map((model) => (
              <tr key={model.name}>
                <th scope="row" class="mono">
                  {model.name}
                </th>
                <td class="muted">{model.summary}</td>
                {model.cells.map((cell, i) => (
                  <Cell key={page.chips[i]} cell={cell} chip={page.chips[i] ?? ''} model={model.name} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

export function ModelsPageView() {
  useTitle('Models');
  const loaded = useApi<ModelsPage>('/models');
  return (
    <>
      <h1>Models</h1>
      <Loading loaded={loaded}>
        {(page) =>
          page.models.some((model) => model.cells.some((cell) => cell !== null)) ? (
            <Matrix page={page} />
          ) : (
            <Empty>
              No run has the calls of a model: <code>diopi-agent --impl LIBRARY --model resnet50</code>
            </Empty>
          )
        }
      </Loading>
    </>
  );
}
