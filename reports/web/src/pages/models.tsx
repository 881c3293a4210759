import { useMemo } from 'preact/hooks';
import type { ModelCell, ModelsPage } from '../api/messages';
import { useApi } from '../api/use_api';
import { ChipMatrix } from '../components/chip_matrix';
import { Link } from '../components/link';
import { Empty, Loading } from '../components/message';
import { SearchField } from '../components/search_field';
import { Head } from '../components/tips';
import { MANY } from '../lib/chips';
import { textOr } from '../lib/findings';
import { rich, t } from '../lib/i18n';
import { missingText, MODEL_LOOKS, modelKind, scaledText } from '../lib/models';
import { to, usePlace } from '../lib/router';
import { useTitle } from '../lib/title';

function Cell({ cell, chip, model }: { cell: ModelCell | null; chip: string; model: string }) {
  const kind = modelKind(cell);
  const { sign, tone } = MODEL_LOOKS[kind];
  if (!cell) {
    return (
      <td class={`coverage-cell tone-${tone}`} title={t('models.not_run_on', { model, chip })}>
        <span class="sign" aria-hidden="true">
          {sign}
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
    <td class={`coverage-cell tone-${tone}`}>
      <Link href={to.run(cell.run_id, kind === 'not_ready' ? { outcome: 'failed' } : undefined)}>
        <span class="sign" aria-hidden="true">
          {sign}
        </span>
        {kind === 'not_ready'
          ? t('models.calls_pass', { passing: cell.passing, calls: cell.calls })
          : t(`models.${kind}`)}
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
      <div class="small muted">{scaledText(cell) || t('models.true_size')}</div>
    </td>
  );
}

type Model = ModelsPage['models'][number];

const hasRun = (model: Model) => model.cells.some((cell) => cell !== null);

// The models that some chip ran.
export const ranModels = (models: Model[]): Model[] => models.filter(hasRun);

export function ModelTable({ chips, models }: { chips: string[]; models: Model[] }) {
  return (
    <ChipMatrix
      name="models"
      label={t('models.label')}
      heads={
        <>
          <Head says={t('term.model')}>{t('models.model')}</Head>
          <Head>{t('models.what')}</Head>
        </>
      }
      chips={chips}
      chipSays={t('term.ready')}
      rows={models}
      rowKey={({ name }) => name}
      lead={({ name, summary, summary_found: found }) => (
        <>
          <th scope="row" class="mono">
            {name}
          </th>
          <td class="muted">{textOr(found, summary)}</td>
        </>
      )}
      kind={({ cells }, i) => modelKind(cells[i] ?? null)}
      looks={MODEL_LOOKS}
      says={(kind) => t(`models.${kind}`)}
      cell={({ name, cells }, i) => (
        <Cell key={i} cell={cells[i] ?? null} chip={chips[i] ?? ''} model={name} />
      )}
    />
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
          `${model.name} ${model.summary} ${textOr(model.summary_found, model.summary)}`
            .toLowerCase()
            .includes(text),
        )
        .sort((a, b) => Number(hasRun(b)) - Number(hasRun(a))),
    [page, text],
  );
  return (
    <>
      <div class="filters">
        <SearchField label={t('models.model')} />
        {page.chips.length > MANY && <SearchField label={t('common.chip')} name="chip" />}
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
