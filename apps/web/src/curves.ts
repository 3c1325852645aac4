import type { HistoryPoint } from '@yield-vault/protocol';
import './language.js';
import UPlot from 'uplot';
import { element } from './dom.js';
import { percent, timeLabels, timeOf, usd } from './format.js';

interface Curve {
  readonly title: string;
  readonly value: (point: HistoryPoint) => number;
  readonly format: (value: number) => string;
  /** A line from zero would hide the changes of an APY; a TVL is read from zero. */
  readonly fromZero: boolean;
}

const shown: readonly Curve[] = [
  { title: 'APY', value: ({ apy }) => apy, format: percent, fromZero: false },
  { title: 'TVL', value: ({ tvl }) => tvl, format: usd, fromZero: true },
];

const height = 190;
const darkScheme = matchMedia('(prefers-color-scheme: dark)');
let plots: { plot: UPlot; remove: () => void }[] = [];

/** Draw APY and TVL over time. The drawings before them are removed. */
export function curves(points: readonly HistoryPoint[]): readonly Node[] {
  for (const { remove } of plots) remove();
  plots = [];
  if (points.length < 2)
    return [
      element('p', { class: 'quiet' }, 'This period has too few samples to draw. Choose a longer one.'),
    ];
  return [element('div', { class: 'pair' }, ...shown.map((curve) => figure(curve, points)))];
}

function figure({ title, value, format, fromZero }: Curve, points: readonly HistoryPoint[]): HTMLElement {
  const times = points.map(({ timestamp }) => Date.parse(timestamp) / 1000);
  const values = points.map(value);
  const summary = `${format(values.at(-1)!)} now, ${format(Math.min(...values))} to ${format(Math.max(...values))}`;
  const reading = element('span', { class: 'quiet' }, summary);
  const canvas = element('div', { class: 'curve', role: 'img', 'aria-label': `${title}: ${summary}` });

  const read = ({ cursor: { idx } }: UPlot) => {
    const isOutside = idx === null || idx === undefined;
    reading.textContent = isOutside ? summary : `${format(values[idx]!)} on ${timeOf(times[idx]!)}`;
  };
  const draw = () => {
    const style = getComputedStyle(document.documentElement);
    const [line, soft, text, grid] = ['--accent', '--accent-soft', '--quiet', '--line'].map((name) =>
      style.getPropertyValue(name),
    );
    const axis = {
      stroke: text,
      grid: { stroke: grid, width: 1 },
      ticks: { show: false },
      font: '12px system-ui',
    };
    return new UPlot(
      {
        width: Math.max(canvas.clientWidth, 200),
        height,
        legend: { show: false },
        cursor: { y: false, points: { size: 7 } },
        scales: { y: { range: (_, low, high) => rangeOf(fromZero ? 0 : low, high) } },
        series: [{}, { stroke: line, fill: soft, width: 2, points: { show: false } }],
        axes: [
          { ...axis, values: (_, ticks) => timeLabels(ticks) },
          { ...axis, size: 64, values: (_, ticks) => ticks.map(format) },
        ],
        hooks: { setCursor: [read] },
      },
      [times, values],
      canvas,
    );
  };
  const held = { plot: draw(), remove: () => undefined as void };
  const redraw = () => {
    held.plot.destroy();
    held.plot = draw();
  };
  const resized = new ResizeObserver(() =>
    held.plot.setSize({ width: Math.max(canvas.clientWidth, 200), height }),
  );
  resized.observe(canvas);
  darkScheme.addEventListener('change', redraw);
  held.remove = () => {
    resized.disconnect();
    darkScheme.removeEventListener('change', redraw);
    held.plot.destroy();
  };
  plots.push(held);
  return element('figure', {}, element('figcaption', {}, element('strong', {}, title), reading), canvas);
}

/** A flat line needs a range too. */
function rangeOf(low: number, high: number): [number, number] {
  const margin = (high - low || Math.abs(high) || 1) * 0.1;
  return [low === 0 ? 0 : low - margin, high + margin];
}
