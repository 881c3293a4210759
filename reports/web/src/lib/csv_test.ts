import { expect, test } from 'vitest';
import { plainValue, toCsv } from './csv';

test('fields are quoted where they must be, and the text begins with a byte order mark', () => {
  expect(
    toCsv([
      ['a', 'b,c'],
      ['say "no"', '两\n行'],
    ]),
  ).toBe('\ufeffa,"b,c"\r\n"say ""no""","两\n行"\r\n');
});

test('a vendor’s text is no formula for a spreadsheet; a number stays a number', () => {
  // The rows of CsvIsNoFormula in reports/document/escape_test.cc.
  const formulas = ['=1+2', '-x', '@a', '+1', '\t=1', '＝1', '-inf', '-1.2.3', '- 1'];
  const others = ['-', '- - -', '-1.5e-3', '-1e+06', '-7', '-.5', 'a=1'];
  const safe = [...formulas.map((text) => `'${text}`), ...others];
  expect(toCsv([[...formulas, ...others]])).toBe(`\ufeff${safe.join(',')}\r\n`);
  expect(toCsv([['\r=1']])).toBe('\ufeff"\'\r=1"\r\n');
});

test('a value that was not measured is an empty field', () => {
  expect([null, undefined, 0, 'Infinity', { passed: 1 }].map(plainValue)).toEqual([
    '',
    '',
    '0',
    'Infinity',
    '{"passed":1}',
  ]);
});
