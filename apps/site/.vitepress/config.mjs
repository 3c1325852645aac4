import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { writePages } from './pages.mjs';

const dist = join(import.meta.dirname, '../dist');
const srcDir = join(dist, 'pages');
const outDir = join(dist, 'guides');
const guides = writePages(srcDir);
const sidebar = [...new Set(guides.map(({ group }) => group))].map((text) => {
  const items = guides
    .filter(({ group }) => group === text)
    .map(({ name, title }) => ({ text: title, link: name === 'index' ? '/' : `/${name}` }));
  // The link keeps the arrow that folds a group outside of another button.
  return { text, items, link: items[0].link, collapsed: items.length > 20 || undefined };
});

export default defineConfig({
  srcDir,
  outDir,
  cacheDir: join(dist, 'cache'),
  base: '/guides/',
  lang: 'en',
  title: 'Yield Vault Service',
  description: 'Guides and decisions of the Yield Vault Service.',
  head: [['link', { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' }]],
  // As the page at /. The switch of the theme would add a style that the policy refuses.
  appearance: 'force-auto',
  markdown: {
    // The anchors of GitHub, so that a link works in both places.
    anchor: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  // esbuild 0.28 no longer compiles for the default browsers of Vite 5.
  vite: { build: { target: 'es2022' } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar,
    nav: [
      { text: 'Vaults', link: '../', target: '_self' },
      { text: 'API reference', link: '../docs/', target: '_self' },
      { text: 'llms.txt', link: '/llms.txt', target: '_self' },
    ],
  },
  buildEnd: finish,
});

function slugify(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Serve the Markdown beside each page, and allow exactly the inline scripts and styles of the generator. */
function finish() {
  cpSync(srcDir, outDir, { recursive: true });
  const html = readdirSync(outDir)
    .filter((name) => name.endsWith('.html'))
    .map((name) => readFileSync(join(outDir, name), 'utf8'))
    .join('');
  const policy =
    `default-src 'self'; script-src 'self' ${hashes(html, /<script(?: id="[^"]*")?>([^]*?)<\/script>/g)}; ` +
    `style-src-attr 'unsafe-hashes' ${hashes(html, / style="([^"]*)"/g)}; ` +
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  // Agents read the records from their index.
  const listed = guides.filter(({ group }) => group !== 'Decisions');
  writeFileSync(join(dist, 'site.json'), JSON.stringify({ policy, guides: listed }));
}

function hashes(html, pattern) {
  const found = new Set([...html.matchAll(pattern)].map(([, text]) => text));
  return [...found].map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');
}
