// Where the documentation explains what the page shows. The server has it under /docs, or says there how to build it.
import { language, t, type PlainKey } from './i18n';

// The section of docs/LANGUAGE/outcomes.md on a term; docs/pages_test.py compares the two.
const SECTIONS: Partial<Record<PlainKey, string>> = {
  'term.max_z': 'max-z',
  'term.rms_z': 'rms-z',
  'term.max_ulp': 'max-ulp',
  'term.max_abs': 'max-abs',
  'term.max_rel': 'max-rel',
  'term.rmse': 'rmse',
  'term.rmse_ideal': 'rmse',
  'term.bias': 'bias',
  'term.beyond': 'beyond',
  'term.time': 'time',
  'term.grade': 'grade',
  'term.public': 'public',
  'term.outcome': 'outcomes',
  'term.outcomes': 'outcomes',
  'term.failed': 'outcomes',
  'term.other': 'outcomes',
  'term.reason': 'reason-and-cause',
  'term.cause': 'reason-and-cause',
  'term.passing': 'functions-that-pass',
  'term.correctness': 'correctness',
  'term.badges': 'badges',
  'term.state': 'state',
};

export const docsHref = (page = ''): string => `/docs/${language()}/${page}`;

// An outcome's own section: headings have dashes for underscores.
export const outcomeHref = (outcome: string): string =>
  docsHref(`outcomes.html#${outcome.replaceAll('_', '-')}`);

// Where more is said about a term, given its explanation; null: nowhere.
export function moreHref(says: string): string | null {
  const keys = Object.keys(SECTIONS) as PlainKey[];
  const key = keys.find((one) => t(one) === says);
  return key ? docsHref(`outcomes.html#${SECTIONS[key] ?? ''}`) : null;
}
