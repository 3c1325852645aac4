const fixed = (digits: number) => {
  const format = new Intl.NumberFormat('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return (value: number) => format.format(value).replace(/^-/, '−');
};

const compact = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

export const oneDigit = fixed(1);
export const twoDigits = fixed(2);

/** 10 means 10 %. */
export const percent = (value: number): string => `${twoDigits(value)} %`;

/** 9558630.41 is $9.6M. */
export const usd = (value: number): string => compact.format(value);

/** A value that may be unknown, which is never shown as 0. */
export const known = <Value>(value: Value | null, format: (value: Value) => string): string =>
  value === null ? 'unknown' : format(value);

/** Basis points as percent: 250 is "2.50 %". */
export const bps = (value: number): string => percent(value / 100);

const second = [1, 'second'] as const;
const units = [[86_400, 'day'], [3_600, 'hour'], [60, 'minute'], second] as const;

/** 259200 s are "3 days". */
export function duration(seconds: number): string {
  const [size, unit] = units.find(([least]) => seconds >= least) ?? second;
  const format = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 } as const;
  return (seconds / size).toLocaleString('en', format);
}

/** `apyAnomaly` is "APY anomaly". */
export function words(name: string): string {
  const spaced = name
    .replace(/([A-Z])/g, ' $1')
    .replaceAll('_', ' ')
    .toLowerCase();
  const sentence = spaced.charAt(0).toUpperCase() + spaced.slice(1);
  return sentence.replace(/\b(apy|tvl)\b/gi, (word) => word.toUpperCase());
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** Unix seconds as labels of an axis: times where they are less than two days apart, else dates. */
export function timeLabels(seconds: readonly number[]): string[] {
  const isShort = (seconds.at(-1) ?? 0) - (seconds[0] ?? 0) < 2 * 86_400;
  return seconds.map((second) => (isShort ? hour : day).format(second * 1000));
}

/** Unix seconds as date and time. */
export const timeOf = (second: number): string => moment.format(second * 1000);

/** A timestamp of a response as date and time, with its distance from now. */
export function withAge(timestamp: string): string {
  const seconds = Date.parse(timestamp) / 1000;
  const age = Math.round(Date.now() / 1000 - seconds);
  const distance = duration(Math.abs(age));
  return `${timeOf(seconds)} (${age < 0 ? `in ${distance}` : `${distance} ago`})`;
}
