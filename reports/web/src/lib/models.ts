// What stands between a chip and a model, in words.
import type { ModelCell } from '../api/messages';
import { bytes } from './format';
import { t } from './i18n';

export type ModelKind = 'ready' | 'passes_scaled' | 'not_ready' | 'not_run';

// Each kind's words are models.KIND of the catalogues.
export const MODEL_LOOKS: Record<ModelKind, { sign: string; tone: string }> = {
  ready: { sign: '✓', tone: 'good' },
  passes_scaled: { sign: '◐', tone: 'note' },
  not_ready: { sign: '✕', tone: 'bad' },
  not_run: { sign: '◌', tone: 'none' },
};

export const modelKind = (cell: ModelCell | null): ModelKind =>
  !cell ? 'not_run' : cell.ready ? 'ready' : cell.passes_scaled ? 'passes_scaled' : 'not_ready';

// "120 of 160 calls scaled to 16 KiB a tensor"; "" at true size.
export const scaledText = ({ scaled, calls, max_tensor_bytes }: ModelCell): string =>
  scaled === 0 ? '' : t('models.scaled', { scaled, calls, bound: bytes(max_tensor_bytes) });

// "3 functions missing, 2 failing"; "" when nothing does, or only the scaling of calls.
export function missingText(cell: ModelCell): string {
  const parts: string[] = [];
  const missing = cell.missing_functions.length;
  const failing = cell.failing_functions.length;
  if (missing > 0) parts.push(t('models.n_missing', { n: missing }));
  if (failing > 0) parts.push(t(missing > 0 ? 'models.more_failing' : 'models.n_failing', { n: failing }));
  if (cell.not_judged > 0) parts.push(t('models.not_judged', { n: cell.not_judged }));
  return parts.join(t('common.list_separator'));
}
