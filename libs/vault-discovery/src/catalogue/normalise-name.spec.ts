import { normaliseName } from './normalise-name.js';

const prime = normaliseName('Steakhouse Prime USDC');

describe('normaliseName', () => {
  it.each([
    ['case', 'STEAKHOUSE prime usdc'],
    ['spaces', '  Steakhouse   Prime\u00a0USDC '],
    ['punctuation', 'Steakhouse-Prime (USDC)'],
    ['invisible characters', 'Steak\u200bhouse Prime USDC\u2060'],
    ['full width', 'Ｓteakhouse Prime USDC'],
    ['accents', 'Stéakhouse Primé USDC'],
    ['Cyrillic letters', 'Ѕtеаkhоuѕе Рrіmе UЅDС'],
    ['Greek letters', 'Steakhοuse Primε USDC'],
    ['one for l and i', 'Steakhouse Pr1me USDC'],
    ['nought for o', 'Steakh0use Prime USDC'],
    ['rn for m', 'Steakhouse Prirne USDC'],
  ])('default: %s makes no other name', (_, name) => {
    expect(normaliseName(name)).toBe(prime);
  });

  it.each(['Steakhouse Prime USDT', 'Steakhouse USDC', 'Steakhouse Prime USDC 2'])(
    'behavior: %s is another name',
    (name) => {
      expect(normaliseName(name)).not.toBe(prime);
    },
  );
});
