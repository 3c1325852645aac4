/**
 * Letters of other scripts that look like Latin ones, and what is told apart only by its shape. A part of the table
 * of Unicode Technical Standard 39, after lower-casing.
 */
const lookAlikes: Readonly<Record<string, string>> = {
  ...{ а: 'a', в: 'b', е: 'e', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p', с: 'c', т: 't', у: 'y', х: 'x' },
  ...{ ѕ: 's', і: 'i', ј: 'j', ԁ: 'd', ԛ: 'q', ԝ: 'w', һ: 'h', ӏ: 'l', п: 'n', г: 'r' },
  ...{ α: 'a', β: 'b', ε: 'e', η: 'n', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x' },
  ...{ ı: 'i', ł: 'l', ø: 'o', đ: 'd', ħ: 'h', ɡ: 'g', ɑ: 'a', ʟ: 'l', '0': 'o', '1': 'i', '|': 'i', l: 'i' },
};

/**
 * Reduce a name to what a reader sees: without case, accents, spaces, punctuation and invisible characters, with
 * letters that look alike as one. Two names that come out equal can be mistaken for each other.
 */
export function normaliseName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}\p{Cc}]/gu, '')
    .toLowerCase();
  return [...plain]
    .map((character) => lookAlikes[character] ?? character)
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('rn', 'm');
}
