import { useMemo } from 'preact/hooks';
import type { ModelCell, ModelsPage } from '../api/messages';
import { useApi } from '../api/use_api';
import { ChipLink } from '../components/chip_link';
import { Exported } from '../components/exported';
import { Link } from '../components/link';
import { Empty, Loading } from '../components/message';
import { SearchField } from '../components/search_field';
import { Head } from '../components/tips';
import { rich, t } from '../lib/i18n';
import { missingText } from '../lib/models';
import { recorded } from '../lib/recorded';
import { to, usePlace } from '../lib/router';
import { useTitle } from '../lib/title';

function Cell({ cell, chip, model }: { cell: ModelCell | null; chip: string; model: string }) {
  if (!cell) {
    return (
      <td class="coverage-cell tone-none" title={t('models.not_run_on', { model, chip })}>
        <span class="sign" aria-hidden="true">
          ◌
        </span>
        <span class="visually-hidden">{t('models.not_run')}</span>
      </td>
    );
  }
  const missing = missingText(cell);
  const functions = [
    ...cell.failing_functions.map((name) => t('models.fails', { function: name })),
    ...cell.missing_functions.map((name) => t('models.missing', { function: name })),
  ];
  return (
    <td class={`coverage-cell tone-${cell.ready ? 'good' : 'bad'}`}>
      <Link href={to.run(cell.run_id, cell.ready ? undefined : { outcome: 'failed' })}>
        <span class="sign" aria-hidden="true">
          {cell.ready ? '✓' : '✕'}
        </span>
        {cell.ready
          ? t('models.ready')
          : t('models.calls_pass', { passing: cell.passing, calls: cell.calls })}
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
        {cell.scaled > 0
          ? t('models.scaled', { scaled: cell.scaled, calls: cell.calls })
          : t('models.true_size')}
      </div>
    </td>
  );
}

type Model = ModelsPage['models'][number];

const hasRun = (model: Model) => model.cells.some((cell) => cell !== null);

// The models that some chip ran.
export const ranModels = (models: Model[]): Model[] => models.filter(hasRun);

export function ModelTable({ chips, models }: { chips: string[]; models: Model[] }) {
  return (
    <Exported name="models">
      <div class="coverage-scroll" tabIndex={0} role="region" aria-label={t('models.label')}>
        <table class="plain coverage">
          <thead>
            <tr>
              <Head says={t('term.model')}>{t('models.model')}</Head>
              <Head>{t('models.what')}</Head>
              {chips.map((chip) => (
                <Head key={chip} says={t('term.ready')}>
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
                <td class="muted">{recorded(model.summary)}</td>
                {model.cells.map((cell, i) => (
                  <Cell key={chips[i]} cell={cell} chip={chips[i] ?? ''} model={model.name} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Exported>
  );
}

function Matrix({ page }: { page: ModelsPage }) {
  const { query } = usePlace();
  const text = (query.get('q') ?? '').toLowerCase();
  // Models that some chip ran come first.
  const models = useMemo(
    () =>
      page.models
        .filter((model) =>
          `${model.name} ${model.summary} ${recorded(model.summary)}`.toLowerCase().includes(text),
        )
        .sort((a, b) => Number(hasRun(b)) - Number(hasRun(a))),
    [page, text],
  );
  return (
    <>
      <div class="filters">
        <SearchField label={t('models.model')} />
        <span class="spring" />
        <span class="muted small" role="status">
          {t('models.count', { n: models.length, all: page.models.length })}
        </span>
      </div>
      <ModelTable chips={page.chips} models={models} />
    </>
  );
}

export function ModelsPageView() {
  useTitle(t('app.models'));
  const loaded = useApi<ModelsPage>('/models');
  return (
    <>
      <h1>{t('app.models')}</h1>
      <Loading loaded={loaded}>
        {(page) =>
          page.models.some(hasRun) ? (
            <Matrix page={page} />
          ) : (
            <Empty>
              {rich('models.no_run', {
                command: <code>diopi-agent --impl LIBRARY --model resnet50</code>,
              })}
            </Empty>
          )
        }
      </Loading>
    </>
  );
}
