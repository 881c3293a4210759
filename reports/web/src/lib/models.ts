// What stands between a chip and a model, in words.
import type { ModelCell } from '../api/types';

function functions(n: number): string {
  return `${n} ${n === 1 ? 'function' : 'functions'}`;
}

// "3 functions missing, 2 failing"; "" when nothing does.
export function missingText(cell: ModelCell): string {
  const parts: string[] = [];
  const missing = cell.missing_functions.length;
  const failing = cell.failing_functions.length;
  if (missing > 0) parts.push(`${functions(missing)} missing`);
  if (failing > 0) parts.push(missing > 0 ? `${failing} failing` : `${functions(failing)} failing`);
  if (cell.not_judged > 0)
    parts.push(`${cell.not_judged} ${cell.not_judged === 1 ? 'call' : 'calls'} not judged`);
  return parts.join(', ');
}
