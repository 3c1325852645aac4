import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

// viem has many types, and CI has few cores.
jest.setTimeout(240_000);

const root = resolve(__dirname, '../../..');

/** Read the TypeScript of every README, as if each example were a file of its library. */
function readExamples(): ReadonlyMap<string, string> {
  const examples = readdirSync(join(root, 'libs')).flatMap((library) => {
    const readme = readFileSync(join(root, 'libs', library, 'README.md'), 'utf8');
    return [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(
      ([, code], index) => [join(root, 'libs', library, `README.${index + 1}.ts`), code!] as const,
    );
  });
  return new Map(examples);
}

function check(examples: ReadonlyMap<string, string>): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), (file) => ts.sys.readFile(file));
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const settings: ts.CompilerOptions = {
    ...options,
    ...{ noEmit: true, composite: false, incremental: false, declaration: false, declarationMap: false },
    // What callers get: the built declarations.
    customConditions: [],
    moduleDetection: ts.ModuleDetectionKind.Force,
    noUnusedLocals: false,
  };
  const host = ts.createCompilerHost(settings);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => examples.has(file) || fileExists(file);
  host.readFile = (file) => examples.get(file) ?? readFile(file);
  host.getSourceFile = (file, languageVersion, ...rest) => {
    const code = examples.get(file);
    if (code === undefined) return getSourceFile(file, languageVersion, ...rest);
    return ts.createSourceFile(file, code, languageVersion);
  };
  const program = ts.createProgram([...examples.keys()], settings, host);
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => ts.formatDiagnostic(diagnostic, host));
}

it('default: README examples type check against the build, and a wrong one does not', () => {
  const examples = readExamples();
  expect(examples.size).toBeGreaterThan(14);
  const wrong =
    "import { parseDeployment } from '@yield-vault/deployment';\nparseDeployment(1, process.env);\n";
  expect(check(new Map([...examples, [join(root, 'libs/positions/README.wrong.ts'), wrong]]))).toEqual([
    expect.stringContaining('README.wrong.ts'),
  ]);
});
