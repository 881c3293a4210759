// The list from which a case was opened, so that its page can go to the next case. Lost on reload,
// on purpose.
let run = '';
let ids: string[] = [];

export function rememberList(runId: string, caseIds: string[]): void {
  run = runId;
  ids = caseIds;
}

export interface Neighbours {
  at: number; // from 1
  of: number;
  before: string | null;
  after: string | null;
}

export function neighbours(runId: string, caseId: string): Neighbours | null {
  const at = run === runId ? ids.indexOf(caseId) : -1;
  if (at < 0) return null;
  return { at: at + 1, of: ids.length, before: ids[at - 1] ?? null, after: ids[at + 1] ?? null };
}
