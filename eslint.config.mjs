import nx from '@nx/eslint-plugin';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import * as viem from 'viem';

// NestJS belongs to the apps, and to the private library that they share.
const noFramework = ['@nestjs/*'];

const libraries = ['layer:core', 'layer:platform', 'layer:feature'];

/** Who may import whom: `docs/architecture.md`, "Direction". */
const depConstraints = [
  { sourceTag: 'layer:core', onlyDependOnLibsWithTags: ['layer:core'], bannedExternalImports: noFramework },
  {
    sourceTag: 'layer:platform',
    onlyDependOnLibsWithTags: ['layer:core'],
    bannedExternalImports: noFramework,
  },
  {
    sourceTag: 'layer:feature',
    onlyDependOnLibsWithTags: ['layer:core', 'layer:platform'],
    bannedExternalImports: noFramework,
  },
  {
    sourceTag: 'layer:testing',
    onlyDependOnLibsWithTags: ['layer:core', 'layer:platform'],
    bannedExternalImports: noFramework,
  },
  // The deployment file: it composes the schemas of the features, so no feature may import it.
  {
    sourceTag: 'layer:deployment',
    onlyDependOnLibsWithTags: libraries,
    bannedExternalImports: noFramework,
  },
  // What runs in the browser.
  {
    sourceTag: 'layer:page',
    onlyDependOnLibsWithTags: ['layer:core', 'layer:feature'],
    bannedExternalImports: noFramework,
  },
  // Its own process; locally the API runs it.
  { sourceTag: 'layer:worker', onlyDependOnLibsWithTags: [...libraries, 'layer:deployment'] },
  {
    sourceTag: 'layer:app',
    onlyDependOnLibsWithTags: [...libraries, 'layer:deployment', 'layer:worker', 'layer:tool', 'layer:page'],
  },
  {
    sourceTag: 'layer:tool',
    onlyDependOnLibsWithTags: [
      ...libraries,
      'layer:deployment',
      'layer:worker',
      'layer:testing',
      'layer:tool',
      'layer:app',
    ],
  },
];
const boundaries = (constraints) => [
  'error',
  {
    enforceBuildableLibDependency: true,
    banTransitiveDependencies: true,
    depConstraints: constraints,
    // Starts Anvil and imports nothing of ours. Testing and the devnet start it, too.
    allow: ['@yield-vault/forks/anvil'],
  },
];

const viemErrors = Object.keys(viem).filter((name) => name.endsWith('Error'));

export default defineConfig(
  { ignores: ['**/dist/**', '**/out-tsc/**', '**/coverage/**', '**/generated/**', '.nx/**', '.local/**'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        // One program for all projects: a program for each takes twice the time, because it types viem again.
        project: ['tsconfig.lint.json', 'apps/web/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': boundaries(depConstraints),
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['**/*.ts'],
    ignores: ['**/*.spec.ts', '**/test/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: `BinaryExpression[operator='instanceof'][right.name=/^(${viemErrors.join('|')})$/]`,
          message:
            'An importer may have two copies of viem: use isNamed or findError of @yield-vault/protocol',
        },
      ],
    },
  },
  {
    files: ['libs/*/src/**/*.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Libraries take their settings as arguments' },
      ],
      'no-console': 'error',
    },
  },
  {
    files: ['libs/server/src/**/*.ts'],
    rules: {
      '@nx/enforce-module-boundaries': boundaries(
        depConstraints.map(({ bannedExternalImports: _, ...constraint }) => constraint),
      ),
    },
  },
  {
    files: ['**/*.spec.ts', '**/test/**/*.ts'],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { '@nx/enforce-module-boundaries': 'off', 'no-console': 'off' },
  },
);
