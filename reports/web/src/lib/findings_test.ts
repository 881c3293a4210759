import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { FINDINGS } from '../../findings_folder';
import { findingText, detailText, reasonText, textOr, type Found } from './findings';
import { setLanguage } from './i18n';

afterEach(() => setLanguage('en'));

interface Row {
  finding: Found;
  en: string;
  zh: string;
}

// Protocol buffers' own JSON writes codes in capitals.
const read = (finding: Found): Found => ({
  ...finding,
  code: finding.code.toLowerCase() as Found['code'],
  ...(finding.place && { place: { at: finding.place.at ?? [] } }),
  ...(finding.parts && { parts: finding.parts.map(read) }),
});

// cases/findings/finding_test.cc reads the same file.
test.each(JSON.parse(readFileSync(`${FINDINGS}/testdata/texts.json`, 'utf8')) as Row[])(
  '$en',
  ({ finding, en, zh }) => {
    expect(findingText(read(finding))).toBe(en);
    setLanguage('zh');
    expect(findingText(read(finding))).toBe(zh);
  },
);

const wrong: Found = {
  code: 'of_output',
  name: 'out',
  parts: [{ code: 'wrong_elements', count: 2, of: 3 }, { code: 'whole_nan' }],
};
const tf32: Found = { code: 'declare', word: 'tf32', parts: [{ code: 'tf32_products' }] };

test('a reason is that of the API in English, and made of findings in Chinese', () => {
  const reason = { reason: 'as the API says', findings: [wrong], cause: tf32 };
  expect(reasonText(reason)).toBe('as the API says');
  setLanguage('zh');
  expect(reasonText(reason)).toBe(
    '符合：TF32 乘积；如果设备确实如此计算，请声明 tf32：out：3 个元素中 2 个不符；整个输出都是 NaN',
  );
  const ignored: Found = { code: 'consistent_with', parts: [{ code: 'ignored', name: 'bias' }] };
  expect(reasonText({ ...reason, cause: ignored })).toBe(
    'out：3 个元素中 2 个不符；整个输出都是 NaN；符合：忽略了 bias',
  );
  expect(reasonText({ ...reason, findings: [], cause: { code: 'sign_wrong' } })).toBe('');
});

test('texts of an agent up to 0.9 stay', () => {
  setLanguage('zh');
  expect(reasonText({ reason: 'out: 1 of 3 differ', findings: [], cause: null })).toBe('out: 1 of 3 differ');
  expect(textOr(null, 'the sign is wrong')).toBe('the sign is wrong');
  expect(textOr({ code: 'sign_wrong' }, 'the sign is wrong')).toBe('符号错误');
});

test('what was found about an output may be part of another finding', () => {
  setLanguage('zh');
  const findings: Found[] = [{ code: 'results_differ' }, { code: 'last_wrong', parts: [wrong] }];
  const verdict = { reason: 'in English', findings, cause: null };
  expect(detailText({ key: 'out', detail: 'in English' }, verdict)).toBe(
    '3 个元素中 2 个不符；整个输出都是 NaN',
  );
  expect(detailText({ key: 'grad', detail: '' }, verdict)).toBe('');
});

test('a code of a later server shows its fields', () => {
  expect(findingText({ code: 'of_tomorrow' as Found['code'], name: 'out' })).toContain('"name":"out"');
});
