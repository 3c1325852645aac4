import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../../..');
const env = { ...process.env, NX_DAEMON: 'false', FORCE_COLOR: '0' };
const run = (program: string, args: readonly string[], input = '') =>
  JSON.parse(execFileSync(program, args, { cwd: root, env, encoding: 'utf8', input })) as string[];

const boundaries = '@nx/enforce-module-boundaries';
const cases: readonly (readonly [title: string, library: string, code: string, ...messages: string[]])[] = [
  [
    'a feature that imports another feature',
    'positions',
    "import '@yield-vault/vault-discovery';\n",
    `${boundaries}: `,
    'can only depend on libs tagged with "layer:core", "layer:platform"',
  ],
  [
    'a feature that imports the deployment file',
    'positions',
    "import '@yield-vault/deployment';\n",
    'can only depend on libs tagged with "layer:core", "layer:platform"',
  ],
  [
    'a platform library that imports another platform library',
    'database',
    "import '@yield-vault/chains';\n",
    'can only depend on libs tagged with "layer:core"',
  ],
  [
    'a core library that imports a library above it',
    'contracts',
    "import '@yield-vault/chains';\n",
    'Circular dependency between "contracts" and "chains"',
  ],
  [
    'a library that imports NestJS',
    'positions',
    "import '@nestjs/common';\n",
    `${boundaries}: `,
    '"@nestjs/common"',
  ],
  [
    'a library that reads the environment',
    'positions',
    'export const port = process.env.PORT;\n',
    'Libraries take their settings as arguments',
  ],
  [
    'instanceof with a class of viem',
    'positions',
    "import { BaseError } from 'viem';\nexport const is = (e: unknown) => e instanceof BaseError;\n",
    'use isNamed or findError of @yield-vault/protocol',
  ],
];
const allowed = ['positions', "import '@yield-vault/protocol';\n"] as const;

describe('dependency direction', () => {
  let projects: readonly string[];
  let messages: readonly string[];
  beforeAll(() => {
    // ESLint's rule reads the graph that this writes.
    projects = run(join(root, 'node_modules/.bin/nx'), ['show', 'projects', '--json']);
    const pairs = [...cases.map(([, library, code]) => [library, code]), allowed];
    messages = run(process.execPath, [join(__dirname, '../test/lint.mjs')], JSON.stringify(pairs));
  });

  it('behavior: every library has a layer', () => {
    const layers = {
      protocol: 'core',
      contracts: 'core',
      chains: 'platform',
      'smart-account': 'platform',
      database: 'platform',
      'vault-discovery': 'feature',
      'intent-builder': 'feature',
    };
    expect(projects).toEqual(expect.arrayContaining(Object.keys(layers)));
    for (const [library, layer] of Object.entries(layers)) {
      const manifest = readFileSync(join(root, 'libs', library, 'package.json'), 'utf8');
      expect(JSON.parse(manifest)).toMatchObject({ nx: { tags: [`layer:${layer}`] } });
    }
  });

  it.each(cases.map(([title, , , ...expected], index) => ({ title, expected, index })))(
    'error: $title',
    ({ expected, index }) => {
      for (const message of expected) expect(messages[index]).toContain(message);
    },
  );

  it('behavior: an allowed import passes', () => {
    expect(messages.at(-1)).not.toContain(boundaries);
  });
});
