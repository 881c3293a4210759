import { BarChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { EChartsCoreOption } from 'echarts/core';
import { useEffect, useRef } from 'preact/hooks';
import { colour, THEME_CHANGED } from '../lib/theme';

echarts.use([
  BarChart,
  LineChart,
  ScatterChart,
  GridComponent,
  LegendComponent,
  TooltipComponent,
  SVGRenderer,
]);

export interface Colours {
  text: string;
  muted: string;
  line: string;
  surface: string;
  accent: string;
  good: string;
  bad: string;
  none: string;
  note: string;
  ours: string;
}

function colours(): Colours {
  return {
    text: colour('--text'),
    muted: colour('--muted'),
    line: colour('--line'),
    surface: colour('--surface'),
    accent: colour('--accent'),
    good: colour('--good-fill'),
    bad: colour('--bad-fill'),
    none: colour('--none-fill'),
    note: colour('--note-fill'),
    ours: colour('--ours-fill'),
  };
}

export const escapeHtml = (text: string): string => echarts.format.encodeHTML(text);

export function tooltipStyle(c: Colours) {
  return {
    backgroundColor: c.surface,
    borderColor: c.line,
    textStyle: { color: c.text, fontSize: 12 },
    confine: true,
  };
}

// One of several series: its symbol and its dashes tell it apart, and its colour helps.
export function seriesLook(c: Colours, i: number) {
  const fills = [c.accent, c.bad, c.good, c.ours, c.note, c.muted];
  const symbols = ['circle', 'triangle', 'rect', 'diamond', 'roundRect', 'arrow'];
  const dashes = ['solid', [7, 4], [2, 3], [9, 3, 2, 3], [4, 2], [1, 2]];
  const n = fills.length;
  return {
    colour: fills[i % n] ?? c.text,
    symbol: symbols[i % n] ?? 'circle',
    dash: dashes[i % n] ?? 'solid',
  };
}

export function legendStyle(c: Colours) {
  return { top: 0, itemWidth: 14, itemHeight: 10, textStyle: { color: c.text, fontSize: 11 } };
}

interface Props {
  option: (colours: Colours) => EChartsCoreOption;
  height: number;
  label: string; // for screen readers; the figures are in a table beside the chart
  onOpen?: (dataIndex: number, seriesIndex: number) => void;
}

// An ECharts chart that follows the size of its box and the theme. `option` must keep its identity
// between renders while its data stay the same.
export function Chart({ option, height, label, onOpen }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!box.current) return undefined;
    const chart = echarts.init(box.current, null, { renderer: 'svg' });
    const draw = () => chart.setOption(option(colours()), true);
    draw();
    if (onOpen) chart.on('click', (event) => onOpen(event.dataIndex, event.seriesIndex ?? 0));
    const size = new ResizeObserver(() => chart.resize());
    size.observe(box.current);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    addEventListener(THEME_CHANGED, draw);
    return () => {
      size.disconnect();
      dark.removeEventListener('change', draw);
      removeEventListener(THEME_CHANGED, draw);
      chart.dispose();
    };
  }, [option, onOpen]);
  return <div class="chart" ref={box} style={{ height: `${height}px` }} role="img" aria-label={label} />;
}
