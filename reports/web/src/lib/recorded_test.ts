import { afterEach, expect, test } from 'vitest';
import { setLanguage } from './i18n';
import { recorded } from './recorded';

afterEach(() => setLanguage('en'));

// reports/document/recorded_test.cc has the same sentences and more.
test.each([
  ['', ''],
  ['the sign is wrong', '符号错误'],
  ['out: 1 of 1 element differs', 'out：1 个元素中 1 个不同'],
  [
    'out: 3 of 7 elements differ, first at [0, 4]: got 0, expected 0.5 exactly; the last 3 elements, after the last full vector of 4',
    'out：7 个元素中 3 个不同，首个在 [0, 4]：得到 0，应恰为 0.5；是最后 3 个元素，在最后一个完整的 4 元素向量之后',
  ],
  [
    '8 of 9 elements differ, first at [0]: got inf, expected -inf; the whole output is inf',
    '9 个元素中 8 个不同，首个在 [0]：得到 inf，应为 -inf；整个输出都是 inf',
  ],
  [
    'out: 2 of 9 elements differ, first at [0]: got 1, expected 2 (tolerance 1.0e-03, off by 1.0e+00; the device reference is off by 1.0e-04)',
    'out：9 个元素中 2 个不同，首个在 [0]：得到 1，应为 2（容差 1.0e-03，相差 1.0e+00；设备参考实现相差 1.0e-04）',
  ],
  ['out: dtype float64, expected float32', 'out：数据类型为 float64，应为 float32'],
  ['N bytes written outside a tensor (N bytes)', '在张量（N 字节）之外写入了 N 字节'],
  ['the sign is wrong; ...', '符号错误；……'],
  ['exception std::runtime_error: on fire', '异常 std::runtime_error: on fire'],
  ['consistent with alpha taken as 1, or with beta ignored', '符合：把 alpha 当作 1，或忽略了 beta'],
  ['default: network, a thing of tomorrow', 'default: network, a thing of tomorrow'],
  ['diopiAdd returned error: out of memory; try $0', 'diopiAdd 返回 error：out of memory；try $0'],
  [
    'Kernel launch failed: too many resources requested',
    'Kernel launch failed: too many resources requested',
  ],
])('%s', (english, chinese) => {
  expect(recorded(english)).toBe(english);
  setLanguage('zh');
  expect(recorded(english)).toBe(chinese);
});
