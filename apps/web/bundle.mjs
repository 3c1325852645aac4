// Bundles the page into dist/. flow.js is whole by itself: only the local deployment serves it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const outdir = join(import.meta.dirname, 'dist');
const common = {
  absWorkingDir: import.meta.dirname,
  outdir,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  conditions: ['@yield-vault/source'],
  logLevel: 'warning',
};

rmSync(outdir, { recursive: true, force: true });
await Promise.all([
  build({
    ...common,
    entryPoints: ['src/index.html', 'src/icon.svg', 'src/page.css', 'src/page.ts'],
    splitting: true,
    external: ['./flow.js'],
    loader: { '.html': 'copy', '.svg': 'copy' },
  }),
  build({ ...common, entryPoints: ['src/flow.ts'] }),
]);
