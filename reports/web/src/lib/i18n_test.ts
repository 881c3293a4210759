import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { ago, count, percent, seconds, time } from './format';
import { CATALOGUES, preferred, rich, setLanguage, t, type Key, type Language } from './i18n';

const LANGUAGES = Object.keys(CATALOGUES) as Language[];
const KEYS = Object.keys(CATALOGUES.en) as Key[];
const namesOf = (text: string) =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort();

afterEach(() => setLanguage('en'));

// The page's sources, without catalogues and tests.
function sources(folder: string): string {
  const parts = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'texts' ? '' : sources(path);
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith('_test.ts') ? readFileSync(path, 'utf8') : '';
  });
  return parts.join('\n');
}

describe('catalogues', () => {
  test('no text is left over: the sources name every key, or the beginning of it', () => {
    const text = sources(fileURLToPath(new URL('..', import.meta.url)));
    const begun = new Set([...text.matchAll(/`(\w+\.)\$\{/g)].map(([, prefix]) => prefix));
    const unused = KEYS.filter(
      (key) => !text.includes(`'${key}'`) && !begun.has(key.slice(0, key.indexOf('.') + 1)),
    );
    expect(unused).toEqual([]);
  });

  test.each(LANGUAGES)('%s has every text, with the names and forms that it needs', (language) => {
    const texts = CATALOGUES[language];
    expect(Object.keys(texts).sort()).toEqual([...KEYS].sort());
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories.length;
    for (const key of KEYS) {
      const english = CATALOGUES.en[key].split('|');
      expect(texts[key].split('|').length, key).toBe(english.length === 1 ? 1 : forms);
      for (const form of texts[key].split('|')) expect(namesOf(form), key).toEqual(namesOf(english[0] ?? ''));
      expect(texts[key].trim(), key).not.toBe('');
    }
  });

  test('Chinese has its own punctuation', () => {
    const ascii = KEYS.filter((key) =>
      /[\u4e00-\u9fff][,;:?!()]|[,;?!][\u4e00-\u9fff]/.test(CATALOGUES.zh[key]),
    );
    expect(ascii).toEqual([]);
  });
});

test.each([
  [['zh-CN', 'en'], 'zh', 'zh-CN'],
  [['zh'], 'zh', 'zh'],
  [['fr-FR', 'en-GB', 'zh'], 'en', 'en-GB'],
  [['de'], 'en', 'en'],
  [[], 'en', 'en'],
])('a browser that prefers %j gets %s', (tags, language, tag) => {
  expect(preferred(tags)).toEqual({ language, tag });
});

test('texts take numbers, words and elements, in the order of each language', () => {
  expect([1, 2, 12345].map((n) => t('common.cases', { n }))).toEqual(['1 case', '2 cases', '12,345 cases']);
  expect(rich('history.title', { chip: 'A' })).toEqual(['History on ', 'A', '']);
  expect(t('heat.pass', { passed: 3, cases: 4 })).toBe('3 of 4 pass');
  setLanguage('zh');
  expect(t('common.cases', { n: 1 })).toBe('1 个用例');
  expect(t('heat.pass', { passed: 3, cases: 4 })).toBe('4 个用例中 3 个通过');
  expect(rich('history.title', { chip: 'A' })).toEqual(['在 ', 'A', ' 上的历史']);
});

test('numbers and dates are those of the language', () => {
  const at = '2026-01-02T03:04:00';
  const from = Date.parse(at);
  const all = () => [count(12345), percent(1, 3), seconds(61), time(at), ago(at, from + 300_000)];
  expect(all()).toEqual(['12,345', '33.33%', '1 min 1 s', 'Jan 2, 2026, 03:04', '5 minutes ago']);
  setLanguage('zh');
  expect(all()).toEqual(['12,345', '33.33%', '1 分 1 秒', '2026年1月2日 03:04', '5分钟前']);
});
