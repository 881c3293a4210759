// What findings say, in the reader's language: fills the texts of cases/findings/en.txt and zh.txt, which say how they are
// written. finding_text.cc and describe.cc there do the same in programs; testdata/texts.json tests both. In English, and
// for verdicts of agents up to 0.9, which have no findings, the API's own texts are shown.
import english from '@findings/en.txt?raw';
import chinese from '@findings/zh.txt?raw';
import type { BriefFinding } from '../api/messages';
import { language, type Language } from './i18n';

export type Found = BriefFinding;

// A reason in English, and what it is made of.
export interface Reason {
  reason: string;
  findings: Found[];
  cause: Found | null;
}

interface Table {
  texts: Map<string, string>;
  clauses: string; // between clauses
  after: string; // a cause that may be declared
}

function readTable(text: string, clauses: string, after: string): Table {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const entries = lines.map((line): [string, string] => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
  return { texts: new Map(entries), clauses, after };
}

const TABLES: Record<Language, Table> = {
  en: readTable(english, '; ', ': '),
  zh: readTable(chinese, '；', '：'),
};

// `complete`: the finding has every field of the text.
interface Filled {
  text: string;
  complete: boolean;
}

const FIELDS = ['name', 'count', 'of', 'index', 'got', 'expected', 'limit', 'off', 'said'] as const;

function valueOf(finding: Found, name: string, table: Table): string | undefined {
  if (name === 'place') return finding.place ? `[${finding.place.at.join(', ')}]` : undefined;
  if (name === 'exact') return finding.exact ? '' : undefined;
  if (name === 'word') return finding.word ? (table.texts.get(finding.word) ?? finding.word) : undefined;
  const field = FIELDS.find((one) => one === name);
  const value = field && finding[field];
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

// "name", "name|the function", "count:one|many", "parts:, or with ".
function field(text: string, finding: Found, table: Table): Filled {
  const [, name = '', mark, rest = ''] = /^(\w+)([:|]?)(.*)$/s.exec(text) ?? [];
  if (name === 'parts') {
    const parts = finding.parts?.map((part) => textOf(part, table)) ?? [];
    return { text: parts.join(mark ? rest : table.clauses), complete: parts.length > 0 };
  }
  const value = valueOf(finding, name, table);
  if (mark === '|') return { text: value ?? rest, complete: true };
  if (mark === '') return { text: value ?? '', complete: value !== undefined };
  const bar = rest.indexOf('|');
  const form = fill(value === '1' ? rest.slice(0, bar) : rest.slice(bar + 1), finding, table);
  return { text: form.text, complete: form.complete && value !== undefined };
}

function optional(text: string, finding: Found, table: Table): string {
  const [, flag, inner = text] = /^([^ {[?]+)\?(.*)$/s.exec(text) ?? [];
  const { text: filled, complete } = fill(inner, finding, table);
  return complete && (flag === undefined || valueOf(finding, flag, table) !== undefined) ? filled : '';
}

function endOf(text: string, at: number): number {
  const open = text[at];
  const close = open === '{' ? '}' : ']';
  let depth = 0;
  for (let end = at; end < text.length; ++end) {
    depth += text[end] === open ? 1 : text[end] === close ? -1 : 0;
    if (depth === 0) return end;
  }
  return text.length - 1;
}

function fill(text: string, finding: Found, table: Table): Filled {
  let out = '';
  let complete = true;
  for (let at = 0; at < text.length;) {
    const open = text.slice(at).search(/[{[]/);
    if (open < 0) return { text: out + text.slice(at), complete };
    out += text.slice(at, at + open);
    at += open;
    const end = endOf(text, at);
    const inner = text.slice(at + 1, end);
    if (text[at] === '{') {
      const filled = field(inner, finding, table);
      out += filled.text;
      complete &&= filled.complete;
    } else {
      out += optional(inner, finding, table);
    }
    at = end + 1;
  }
  return { text: out, complete };
}

function textOf(finding: Found, table: Table): string {
  const text = table.texts.get(finding.code.toUpperCase());
  return text === undefined ? JSON.stringify(finding) : fill(text, finding, table).text;
}

export const findingText = (finding: Found): string => textOf(finding, TABLES[language()]);

function described({ findings, cause }: Reason, table: Table): string {
  const found = findings.map((finding) => textOf(finding, table)).join(table.clauses);
  const declares = cause?.code === 'declare';
  if (!cause || (!declares && cause.code !== 'consistent_with')) return found;
  const text = textOf(cause, table);
  if (found === '') return text;
  return declares ? text + table.after + found : found + table.clauses + text;
}

const known = new WeakMap<Reason, string>(); // in Chinese: tables ask again and again

export function reasonText(reason: Reason): string {
  if (language() === 'en' || (reason.findings.length === 0 && !reason.cause)) return reason.reason;
  let text = known.get(reason);
  if (text === undefined) known.set(reason, (text = described(reason, TABLES[language()])));
  return text;
}

// A finding, or the API's own text where that is all there is.
export const textOr = (finding: Found | null, text: string): string =>
  language() === 'en' || !finding ? text : findingText(finding);

function partsOf(output: string, findings: Found[]): Found[] | undefined {
  for (const { code, name, parts } of findings) {
    if (code === 'of_output' && name === output) return parts ?? [];
    const inner = partsOf(output, parts ?? []); // of LAST_WRONG
    if (inner) return inner;
  }
  return undefined;
}

// What was found about an output of the verdict, without its name.
export function detailText({ key, detail }: { key: string; detail: string }, { findings }: Reason): string {
  const parts = language() === 'en' ? undefined : partsOf(key, findings);
  return parts?.map(findingText).join(TABLES[language()].clauses) ?? detail;
}
