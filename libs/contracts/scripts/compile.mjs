// Compiles the Solidity sources with solc-js and writes their ABIs and bytecode as TypeScript.
//
//   node scripts/compile.mjs                 compile everything, rewrite the generated folders
//   node scripts/compile.mjs src/modules …   only sources below these paths; other output stays as it is
//   node scripts/compile.mjs --check …       write nothing, exit 1 when a generated file would change
//   node scripts/compile.mjs --standard-json write dist/standard-json.json: all that a block explorer needs to verify src
//
// The output depends on nothing but the sources, package-lock.json and the settings below.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import solc from 'solc';

const require = createRequire(import.meta.url);
const root = dirname(import.meta.dirname);
const areas = [
  { sources: 'src', outputs: ['src/generated'] },
  { sources: '../testing/src/contracts', outputs: ['../testing/src/generated'] },
  { sources: '../testing/src/contracts/feeds', outputs: ['test/generated'] },
  { sources: '../testing/src/contracts/tokens/LocalUsdc.sol', outputs: ['test/generated'] },
  { sources: '../testing/src/contracts/tokens/LocalUsdcProxy.sol', outputs: ['test/generated'] },
  { sources: '../testing/src/contracts/vaults/LocalVault.sol', outputs: ['test/generated'] },
  { sources: 'test/mocks', outputs: ['test/generated'] },
];
const settings = {
  viaIR: true,
  optimizer: { enabled: true, runs: 1_000_000 },
  evmVersion: 'prague',
  // Without the metadata trailer a comment or a file name never moves a CREATE2 address.
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: {
    '*': {
      '': ['ast'],
      '*': [
        'abi',
        'evm.bytecode.object',
        'evm.deployedBytecode.object',
        'evm.deployedBytecode.immutableReferences',
      ],
    },
  },
};

const args = process.argv.slice(2);
const check = args.includes('--check');
const standardJson = args.includes('--standard-json');
const only = args.filter((arg) => !arg.startsWith('--')).map((arg) => arg.replace(/\/+$/, ''));

const camel = (name) => name[0].toLowerCase() + name.slice(1);
const isSelected = (path) =>
  only.length === 0 || only.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));

function solidityFiles(folder) {
  if (folder.endsWith('.sol')) return [folder];
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true })
    .map((file) => join(folder, file))
    .filter((file) => file.endsWith('.sol'))
    .sort();
}

function readImport(path) {
  if (existsSync(join(root, path))) return { contents: readFileSync(join(root, path), 'utf8') };
  for (const modules of require.resolve.paths(path)) {
    if (existsSync(join(modules, path))) return { contents: readFileSync(join(modules, path), 'utf8') };
  }
  return { error: `${path} not found` };
}

/** The compiler's input with the text of every import, so that it compiles anywhere to the same bytes. */
function writeStandardJson() {
  const sources = {};
  const add = (path) => {
    if (sources[path]) return;
    const { contents } = readImport(path);
    sources[path] = { content: contents };
    for (const [, imported] of contents.matchAll(/^(?:import|\}).*?"([^"]+)";/gm)) {
      add(imported.startsWith('.') ? join(dirname(path), imported) : imported);
    }
  };
  solidityFiles('src').forEach(add);
  const input = { language: 'Solidity', sources, settings };
  const { contracts } = JSON.parse(solc.compile(JSON.stringify(input)));
  for (const [name, { evm }] of Object.values(contracts).flatMap(Object.entries)) {
    const path = join(root, 'src/generated', `${name}.ts`);
    if (existsSync(path) && !readFileSync(path, 'utf8').includes(`'0x${evm.bytecode.object}'`))
      throw new Error(`${name} compiles to other bytes; run npx nx codegen contracts`);
  }
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(join(root, 'dist/standard-json.json'), JSON.stringify(input));
  console.log(`dist/standard-json.json: solc ${solc.version()}, ${Object.keys(sources).length} files`);
}

function compile(files) {
  const sources = Object.fromEntries(
    files.map((file) => [file, { content: readFileSync(join(root, file), 'utf8') }]),
  );
  const input = { language: 'Solidity', sources, settings };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport }));
  const isOwn = (problem) => /^(src|test|\.\.)\//.test(problem.sourceLocation?.file ?? '');
  const problems = output.errors ?? [];
  // Warnings count as errors in our own sources only.
  const failures = problems.filter((problem) => problem.severity === 'error' || isOwn(problem));
  if (failures.length > 0) {
    console.error(failures.map((problem) => problem.formattedMessage).join('\n'));
    process.exit(1);
  }
  return output;
}

function render(name, { abi, evm }) {
  const lines = [
    '// Generated by scripts/compile.mjs from the Solidity sources. Do not edit.',
    '',
    `export const ${camel(name)}Abi = ${JSON.stringify(abi)} as const;`,
    '',
    `export const ${camel(name)}Bytecode = '0x${evm.bytecode.object}';`,
  ];
  if (evm.deployedBytecode) {
    lines.push('', `export const ${camel(name)}DeployedBytecode = '0x${evm.deployedBytecode.object}';`);
    const references = Object.values(evm.deployedBytecode.immutableReferences ?? {}).flat();
    if (references.length > 0) {
      references.sort((a, b) => a.start - b.start);
      lines.push(
        '',
        '/** Byte ranges of the runtime code that the constructor fills in; zero in the constant above. */',
        `export const ${camel(name)}ImmutableReferences = ${JSON.stringify(references)} as const;`,
      );
    }
  }
  return lines.join('\n');
}

/** A deployed entry point is a release of its own; its published artifact is what lands on the canonical address. */
const entryPoints = {
  EntryPointV08: '@account-abstraction/contracts/artifacts/EntryPoint.json',
};

function renderEntryPoint(name) {
  const { abi, bytecode } = require(entryPoints[name]);
  return render(name, { abi, evm: { bytecode: { object: bytecode.replace(/^0x/, '') } } });
}

function collect(output, files) {
  const contents = new Map();
  for (const file of files) {
    const definitions = output.sources[file].ast.nodes.filter(
      (node) => node.nodeType === 'ContractDefinition' && node.contractKind === 'contract' && !node.abstract,
    );
    for (const { name } of definitions) {
      if (contents.has(name)) throw new Error(`two contracts are called ${name}`);
      contents.set(name, render(name, output.contracts[file][name]));
    }
  }
  return contents;
}

if (standardJson) {
  writeStandardJson();
  process.exit();
}

const prettierOptions = { ...(await resolveConfig(join(root, 'package.json'))), parser: 'typescript' };
const selected = areas.map((area) => ({
  ...area,
  files: solidityFiles(area.sources).filter(isSelected),
}));
const output = compile(selected.flatMap(({ files }) => files));
const drift = [];

/** Folder to the files that belong in it. */
const folders = new Map();
for (const { sources, outputs, files } of selected) {
  const contents = collect(output, files);
  if (sources === 'src' && only.length === 0) {
    for (const name of Object.keys(entryPoints)) contents.set(name, renderEntryPoint(name));
  }
  for (const folder of outputs) {
    folders.set(folder, new Map([...(folders.get(folder) ?? []), ...contents]));
  }
}

for (const [folder, contents] of folders) {
  if (!check) mkdirSync(join(root, folder), { recursive: true });
  for (const [name, text] of contents) {
    const path = join(root, folder, `${name}.ts`);
    const wanted = await format(text, prettierOptions);
    if (existsSync(path) && readFileSync(path, 'utf8') === wanted) continue;
    drift.push(`${folder}/${name}.ts`);
    if (!check) writeFileSync(path, wanted);
  }

  const present = existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [];
  const stale = only.length > 0 ? [] : present.filter((file) => !contents.has(basename(file, '.ts')));
  for (const file of stale) {
    drift.push(`${folder}/${file} (stale)`);
    if (!check) rmSync(join(root, folder, file));
  }
}

const list = drift.map((path) => `\n  ${path}`).join('');
if (check && drift.length > 0) {
  console.error(`Generated files are out of date; run \`npx nx codegen contracts\`:${list}`);
  process.exit(1);
}
console.log(drift.length > 0 ? `Wrote:${list}` : 'Generated files are up to date.');
