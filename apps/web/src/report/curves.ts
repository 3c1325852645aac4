import type { HistoryPoint, VaultExitReport } from '@yield-vault/protocol';
import '../language.js';
import UPlot from 'uplot';
import { element } from '../dom.js';
import { bps, percent, timeLabels, timeOf, usd } from '../format.js';

interface Curve {
  readonly title: string;
  /** Unix seconds, or USD of a redeem. */
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  readonly format: (y: number) => string;
  /** A line from zero would hide the changes of an APY; a TVL is read from zero. */
  readonly fromZero: boolean;
  /** What the curve says without a cursor. */
  readonly summary: string;
  readonly isBySize: boolean;
}

const height = 190;
// A redeem that pays less is not counted as an exit.
const wholeBps = 9_900;
const allBps = 10_000;
const darkScheme = matchMedia('(prefers-color-scheme: dark)');
const drawn = new Map<string, (() => void)[]>();

/** Draw APY and TVL over time. */
export function historyCurves(points: readonly HistoryPoint[]): readonly Node[] {
  return draw('history', [
    overTime('APY', points, ({ apy }) => apy, percent, false),
    overTime('TVL', points, ({ tvl }) => tvl, usd, true),
  ]);
}

/** Draw what a redeem of each size pays, and the exit of the last days. */
export function exitCurves({ curve, days }: VaultExitReport): readonly Node[] {
  const whole = curve.findLast(({ receivedBps }) => receivedBps >= wholeBps);
  const bySize: Curve = {
    title: 'What a redeem pays',
    xs: curve.map(({ amountUsd }) => amountUsd),
    ys: curve.map(({ receivedBps }) => receivedBps),
    format: bps,
    fromZero: true,
    summary: whole ? `at least 99 % up to ${usd(whole.amountUsd)}` : 'less than 99 % at every size',
    isBySize: true,
  };
  return draw('exit', [
    bySize,
    overTime('Lowest exit of each day', days, ({ instantUsd }) => instantUsd, usd, true),
  ]);
}

function overTime<Point extends { readonly timestamp: string }>(
  title: string,
  points: readonly Point[],
  value: (point: Point) => number,
  format: Curve['format'],
  fromZero: boolean,
): Curve {
  const xs = points.map(({ timestamp }) => Date.parse(timestamp) / 1000);
  const ys = points.map(value);
  const summary = `${format(ys.at(-1) ?? 0)} now, ${format(Math.min(...ys))} to ${format(Math.max(...ys))}`;
  return { title, xs, ys, format, fromZero, summary, isBySize: false };
}

/** The drawings of the same group before them are removed. Two points make a curve. */
function draw(group: string, curves: readonly Curve[]): readonly Node[] {
  for (const remove of drawn.get(group) ?? []) remove();
  const removals: (() => void)[] = [];
  drawn.set(group, removals);
  const figures = curves.map((curve) => {
    if (curve.xs.length < 2)
      return element('p', { class: 'quiet' }, `${curve.title}: there are too few measurements to draw.`);
    const { node, remove } = figure(curve);
    removals.push(remove);
    return node;
  });
  return [element('div', { class: 'pair' }, ...figures)];
}

function figure({ title, xs, ys, format, fromZero, summary, isBySize }: Curve) {
  const labels = isBySize
    ? (ticks: readonly (number | null)[]) => ticks.map((tick) => (tick === null ? '' : usd(tick)))
    : timeLabels;
  const reading = element('span', { class: 'quiet' }, summary);
  const canvas = element('div', { class: 'curve', role: 'img', 'aria-label': `${title}: ${summary}` });

  const read = ({ cursor: { idx } }: UPlot) => {
    const isOutside = idx === null || idx === undefined;
    const place = (x: number) => (isBySize ? `of ${usd(x)}` : `on ${timeOf(x)}`);
    reading.textContent = isOutside ? summary : `${format(ys[idx]!)} ${place(xs[idx]!)}`;
  };
  const plotted = () => {
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
        scales: {
          x: isBySize ? { time: false, distr: 3 } : {},
          y: { range: (_, low, high) => rangeOf(fromZero ? 0 : low, isBySize ? allBps : high) },
        },
        series: [{}, { stroke: line, fill: soft, width: 2, points: { show: isBySize } }],
        axes: [
          { ...axis, grid: { ...axis.grid, show: !isBySize }, values: (_, ticks) => labels(ticks) },
          { ...axis, size: 64, values: (_, ticks) => ticks.map(format) },
        ],
        hooks: { setCursor: [read] },
      },
      [[...xs], [...ys]],
      canvas,
    );
  };
  let plot = plotted();
  const redraw = () => {
    plot.destroy();
    plot = plotted();
  };
  const resized = new ResizeObserver(() =>
    plot.setSize({ width: Math.max(canvas.clientWidth, 200), height }),
  );
  resized.observe(canvas);
  darkScheme.addEventListener('change', redraw);
  const remove = () => {
    resized.disconnect();
    darkScheme.removeEventListener('change', redraw);
    plot.destroy();
  };
  const caption = element('figcaption', {}, element('strong', {}, title), reading);
  return { node: element('figure', {}, caption, canvas), remove };
}

/** A flat line needs a range too. */
function rangeOf(low: number, high: number): [number, number] {
  const margin = (high - low || Math.abs(high) || 1) * 0.1;
  return [low === 0 ? 0 : low - margin, high + margin];
}
