import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../../..');

/** Words and phrases, each with a plainer one. */
const plainer: readonly (readonly [RegExp, string])[] = [
  [/\bforesight\b|\bhot sets?\b/gi, 'prefetch, access list'],
  [/\bforecasts?\b/gi, 'prediction'],
  [/\bshadow(s|ed|ing)?\b/gi, 'compare'],
  [/\bhazards?\b/gi, 'vault check, difficult vault'],
  [/\bun-?setup\b/gi, 'revoke the delegation'],
  [/\bcarry ?out\b|\bcarries out\b|\bcarried out\b/gi, 'execute, run'],
  [/\bfate\b/gi, 'outcome'],
  [/\bverdicts?\b/gi, 'result'],
  [/\bdear\b/gi, 'expensive'],
  [/\ba most of\b/gi, 'at most'],
  [/\bfair entry\b/gi, 'price check'],
  [/\bentered vault\b|\bleft vault\b/gi, 'deposit vault, redeemed vault'],
  [/\b(is|are|gets) told\b/gi, 'receives'],
  [
    /\bwhat (is|was|were|are) (not )?(known|told|given|left|asked|said|stored|submitted|signed)\b/gi,
    'the noun',
  ],
  [/\bthat of (a|the)\b/gi, 'the noun'],
  [/\bwhoever\b/gi, 'the caller'],
  [/\brememberFor\b/g, 'cacheFor'],
  [/\bforkDesk\b/gi, 'fork registry'],
];

/** Fields of the interface keep their names, in these files alone. */
const wireFields: readonly (readonly [pattern: RegExp, files: readonly string[]])[] = [
  [
    /\bverdict\b/g,
    [
      'apps/api-e2e/src/discovery.e2e.spec.ts',
      'apps/api-e2e/test/support/shapes.ts',
      'libs/protocol/src/wire/vault-report.ts',
      'libs/vault-discovery/src/measuring/measure-vaults.spec.ts',
      'libs/vault-discovery/src/measuring/to-report.ts',
      'libs/vault-discovery/src/vault-sampler.spec.ts',
    ],
  ],
  [
    /\bhazard\b/g,
    [
      'libs/intent-builder/src/vault-checks.ts',
      'libs/intent-builder/src/vault-checks.spec.ts',
      'libs/intent-builder/test/wallet-bench.ts',
    ],
  ],
];

const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(ts|sol|md|ya?ml|mjs)$/.test(file))
  .filter((file) => !/(^|\/)generated\/|CHANGELOG|language\.full\.spec\.ts/.test(file))
  .filter((file) => existsSync(join(root, file)));

/** The text of a file without the fields of the interface. In Markdown they stand between backquotes. */
function proseOf(file: string): string {
  const text = readFileSync(join(root, file), 'utf8');
  if (file.endsWith('.md')) return text.replace(/`[^`\n]*`/g, '');
  return wireFields
    .filter(([, allowed]) => allowed.includes(file))
    .reduce((rest, [pattern]) => rest.replace(pattern, ''), text);
}

describe('language', () => {
  it('default: no text uses a word that has a plainer one', () => {
    const found = files.flatMap((file) =>
      proseOf(file)
        .split('\n')
        .flatMap((line, index) =>
          plainer
            .filter(([pattern]) => line.search(pattern) >= 0)
            .map(([pattern, word]) => `${file}:${index + 1}: ${pattern.source} → ${word}`),
        ),
    );
    expect(found).toEqual([]);
  });
});
