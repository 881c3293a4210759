import type { RunSummary } from '../api/messages';

// Only complete runs are points of a trend: the figures of an aborted run, or of a selection, cover
// other cases.
export const isPoint = (run: RunSummary): boolean => run.partial === null && run.done > 0;
