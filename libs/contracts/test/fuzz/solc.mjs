#!/usr/bin/env node
// The part of the command line of solc that forge uses, answered by solc-js.
import { readFileSync } from 'node:fs';
import solc from 'solc';

if (process.argv.includes('--version')) {
  console.log(
    `solc, the solidity compiler commandline interface\nVersion: ${solc.version().replace('.Emscripten.clang', '.Linux.g++')}`,
  );
} else {
  console.log(solc.compile(readFileSync(0, 'utf8')));
}
