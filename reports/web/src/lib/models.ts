// What stands between a chip and a model, in words.
import type { ModelCell } from '../api/messages';
import { t } from './i18n';

// "3 functions missing, 2 failing"; "" when nothing does.
export function missingText(cell: ModelCell): string {
  const parts: string[] = [];
  const missing = cell.missing_functions.length;
  const failing = cell.failing_functions.length;
  if (missing > 0) parts.push(t('models.n_missing', { n: missing }));
  if (failing > 0) parts.push(t(missing > 0 ? 'models.more_failing' : 'models.n_failing', { n: failing }));
  if (cell.not_judged > 0) parts.push(t('models.not_judged', { n: cell.not_judged }));
  return parts.join(t('common.list_separator'));
}
