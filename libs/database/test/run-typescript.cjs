// Lets a child process of a test run the TypeScript sources, as the tests themselves do:
// node -C @yield-vault/source test/run-typescript.cjs /absolute/script.ts arguments
const Module = require('node:module');
const fs = require('node:fs');
const { transformSync } = require('@swc/core');

const resolve = Module._resolveFilename;
Module._resolveFilename = (request, parent, ...rest) => {
  const isSource = /^\.{1,2}\/.*\.js$/.test(request) && parent?.filename?.endsWith('.ts');
  return resolve(isSource ? request.replace(/\.js$/, '.ts') : request, parent, ...rest);
};

Module._extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(fs.readFileSync(filename, 'utf8'), {
    filename,
    swcrc: false,
    module: { type: 'commonjs' },
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
  });
  module._compile(code, filename);
};

process.argv.splice(1, 1);
require(process.argv[1]);
