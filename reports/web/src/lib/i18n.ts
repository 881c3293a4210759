// Texts, numbers and dates in the reader's language: the one chosen before (kept in the browser), or the first of the
// browser's languages that there is a catalogue for. src/texts has one catalogue per language.
//
// Call t() and rich() while rendering, not when a module is loaded: the language can change. App then renders
// everything anew.
import type { ComponentChildren } from 'preact';
import { en, type Key } from '../texts/en';
import { zh } from '../texts/zh';

export type { Key };
export type Language = 'en' | 'zh';
export const CATALOGUES: Record<Language, Record<Key, string>> = { en, zh };
export const LANGUAGES: Record<Language, { name: string; short: string; tag: string }> = {
  en: { name: 'English', short: 'EN', tag: 'en' },
  zh: { name: '简体中文', short: '中', tag: 'zh-CN' },
};
const ALL = Object.keys(LANGUAGES) as Language[];
const STORED = 'diopi_language';

// The first language that the browser prefers and that there is a catalogue for, and the browser's own tag of it: en-GB
// has other dates than en-US.
export function preferred(tags: readonly string[]): { language: Language; tag: string } {
  for (const tag of tags) {
    const language = ALL.find((one) => tag.toLowerCase().split('-')[0] === one);
    if (language) return { language, tag };
  }
  return { language: 'en', tag: 'en' };
}

const browserTags = (): readonly string[] => (typeof navigator === 'undefined' ? [] : navigator.languages);

function storedLanguage(): Language | undefined {
  try {
    return ALL.find((language) => language === localStorage.getItem(STORED));
  } catch {
    return undefined;
  }
}

function localeOf(language: Language): string {
  const tag = browserTags().find(
    (one) => preferred([one]).tag === one && preferred([one]).language === language,
  );
  return tag ?? LANGUAGES[language].tag;
}

function formatsOf(language: Language) {
  const locale = localeOf(language);
  return {
    language,
    plain: new Intl.NumberFormat(locale, { maximumFractionDigits: 0, useGrouping: false }),
    grouped: new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }),
    percent: new Intl.NumberFormat(locale, {
      style: 'percent',
      minimumFractionDigits: 2,
      maximumFractionDigits: 2,
    }),
    plural: new Intl.PluralRules(locale),
    time: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }),
    shortTime: new Intl.DateTimeFormat(locale, {
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
    ago: new Intl.RelativeTimeFormat(locale, { numeric: 'always' }),
  };
}

let now = formatsOf(storedLanguage() ?? preferred(browserTags()).language);

export const language = (): Language => now.language;
export const formats = (): ReturnType<typeof formatsOf> => now;

export function setLanguage(next: Language): void {
  now = formatsOf(next);
  try {
    localStorage.setItem(STORED, next);
  } catch {
    // The browser stores nothing: the language lasts until the user leaves the page.
  }
}

// From five digits on in groups: 1234, 12,345.
export const integer = (n: number): string => (Math.abs(n) < 10_000 ? now.plain : now.grouped).format(n);

type Names<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;
type Values<K extends Key, V> = [Names<(typeof en)[K]>] extends [never]
  ? []
  : [Record<Names<(typeof en)[K]>, V>];

// Keys of texts without {names}.
export type PlainKey = { [K in Key]: [Names<(typeof en)[K]>] extends [never] ? K : never }[Key];

function textOf(key: Key, values: Record<string, unknown>): string {
  const forms = CATALOGUES[now.language][key].split('|');
  const one = forms.length > 1 && now.plural.select(Number(values['n'])) === 'one';
  return (one ? forms[0] : forms.at(-1)) ?? '';
}

const shown = (value: unknown) => (typeof value === 'number' ? integer(value) : value);

// The text of `key`, with its {names} replaced; numbers are formatted.
export function t<K extends Key>(key: K, ...[values]: Values<K, string | number>): string {
  const named: Record<string, string | number> = values ?? {};
  return textOf(key, named).replace(/\{(\w+)\}/g, (_, name: string) => String(shown(named[name])));
}

// The same where some of the values are elements of the page: languages order them differently.
export function rich<K extends Key>(key: K, ...[values]: Values<K, ComponentChildren>): ComponentChildren[] {
  const named: Record<string, ComponentChildren> = values ?? {};
  const parts = textOf(key, named).split(/\{(\w+)\}/);
  return parts.map((part, i) => (i % 2 === 0 ? part : (shown(named[part]) as ComponentChildren)));
}
