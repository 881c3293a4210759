// Sentences that a run recorded, in the reader's language. They are stored in English: what a run covers, what a sandbox
// drops, why an agent is unhealthy; verdicts have findings instead (findings.ts). texts/recorded_zh.po has their Chinese and says how its entries are read;
// reports/document/recorded.cc does the same for reports. What fits no entry, such as a vendor's own message, stays.
import catalogue from '../texts/recorded_zh.po?raw';
import { language } from './i18n';

// Literal text and the names between it: "$0", "@1".
interface Template {
  literals: string[];
  names: string[];
  text: string;
}

const unquoted = (quoted: string) => quoted.replace(/\\(.)/g, '$1');

export function readTemplates(po: string): Template[] {
  return [...po.matchAll(/^msgid "(.*)"\nmsgstr "(.*)"$/gm)].map(([, english = '', text = '']) => {
    const parts = unquoted(english).split(/([$@]\d)/);
    return {
      literals: parts.filter((_, i) => i % 2 === 0),
      names: parts.filter((_, i) => i % 2 === 1),
      text: unquoted(text),
    };
  });
}

const TEMPLATES = readTemplates(catalogue);

// What stands at the names; null: the text does not fit. Each literal is taken where it occurs first.
function fit({ literals, names }: Template, text: string): string[] | null {
  const [first = '', ...rest] = literals;
  const last = rest.pop();
  if (last === undefined) return text === first ? [] : null;
  if (!text.startsWith(first)) return null;
  const values: string[] = [];
  let at = first.length;
  for (const literal of rest) {
    const found = text.indexOf(literal, at);
    if (found < 0) return null;
    values.push(text.slice(at, found));
    at = found + literal.length;
  }
  if (text.length - last.length < at || !text.endsWith(last)) return null;
  values.push(text.slice(at, text.length - last.length));
  return values.length === names.length ? values : null;
}

function fromTemplate(text: string): string | null {
  for (const template of TEMPLATES) {
    const values = fit(template, text);
    if (!values) continue;
    const shown = values.map((value, i) => (template.names[i]?.startsWith('@') ? said(value) : value));
    if (shown.includes(null)) continue;
    return template.text.replace(/[$@]\d/g, (name) => shown[template.names.indexOf(name)] ?? '');
  }
  return null;
}

// Cut at the separator, but not within parentheses.
function split(text: string, separator: string): string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (let i = 0; i < text.length; ++i) {
    if (text[i] === '(') ++depth;
    if (text[i] === ')') --depth;
    if (depth <= 0 && text.startsWith(separator, i)) {
      parts.push('');
      i += separator.length - 1;
    } else {
      parts.push((parts.pop() ?? '') + text[i]);
    }
  }
  return parts;
}

// One clause: as a whole, or as a list of things that all fit.
function clause(text: string): string | null {
  const whole = fromTemplate(text);
  if (whole !== null) return whole;
  const parts = split(text, ', ');
  const shown = parts.length > 1 ? parts.map(fromTemplate) : [null];
  return shown.includes(null) ? null : shown.join('、');
}

// null: no clause of the text fits an entry.
function said(text: string): string | null {
  const clauses = split(text, '; ');
  const shown = clauses.map(clause);
  return shown.every((one) => one === null) ? null : shown.map((one, i) => one ?? clauses[i]).join('；');
}

const known = new Map<string, string>();

export function recorded(text: string): string {
  if (language() !== 'zh' || text === '') return text;
  let shown = known.get(text);
  if (shown === undefined) known.set(text, (shown = said(text) ?? text));
  return shown;
}
