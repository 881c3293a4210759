import { BarChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, TooltipComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { EChartsCoreOption } from 'echarts/core';
import { useEffect, useRef } from 'preact/hooks';
import { colour, THEME_CHANGED } from '../lib/theme';

echarts.use([BarChart, LineChart, ScatterChart, GridComponent, TooltipComponent, SVGRenderer]);

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

interface Props {
  option: (colours: Colours) => EChartsCoreOption;
  height: number;
  label: string; // for screen readers; the figures are in a table beside the chart
  onOpen?: (dataIndex: number) => void;
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
    if (onOpen) chart.on('click', (event) => onOpen(event.dataIndex));
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
