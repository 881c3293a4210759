import { afterEach, expect, test } from 'vitest';
import { setLanguage } from './i18n';
import { recorded } from './recorded';

afterEach(() => setLanguage('en'));

// reports/document/recorded_test.cc has the same sentences and more.
test.each([
  ['', ''],
  ['conv2d: layout NHWC', 'conv2d：内存布局 NHWC'],
  ['default: network, exec', 'default：已去除 网络、执行程序'],
  ['default: network, a thing of tomorrow', 'default: network, a thing of tomorrow'],
  ['the library cannot be loaded: no such file; try $0', '算子库无法加载：no such file；try $0'],
  [
    'Kernel launch failed: too many resources requested',
    'Kernel launch failed: too many resources requested',
  ],
])('%s', (english, chinese) => {
  expect(recorded(english)).toBe(english);
  setLanguage('zh');
  expect(recorded(english)).toBe(chinese);
});
