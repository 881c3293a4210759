import type { RunSummary } from '../api/types';

// Only complete runs are points of a trend: the figures of one that was cut short, or that covers a selection, are of
// other cases.
export const isPoint = (run: RunSummary): boolean => run.partial === null && run.done > 0;
