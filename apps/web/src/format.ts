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

export const timeOf = (second: number): string => moment.format(second * 1000);
