// Writes the Markdown of the repository as the pages of the site, with links that work there.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { examplesPage, referencePage } from './generated-pages.mjs';

const root = join(import.meta.dirname, '../../..');
const repository = 'https://github.com/yield-vault/yield-vault-service';
const exists = (path) => existsSync(join(root, path));
const read = (path) => readFileSync(join(root, path), 'utf8');
const list = (folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
const markdown = (folder) => list(folder).filter((path) => path.endsWith('.md'));

const start = ['README.md', 'docs/examples', 'docs/glossary.md', 'libs/contracts/SECURITY.md'];
const agents = ['rest', 'calls', 'fleets', 'signing', 'addresses', 'errors', 'limits', 'metrics']
  .map((name) => `docs/${name}.md`)
  .filter(exists);

/** Sources of the pages, in the order of the sidebar. */
const sources = {
  Start: start,
  Agents: ['docs/openapi.json', ...agents, 'libs/agent-client/README.md', 'apps/mcp/README.md'],
  Operators: markdown('docs').filter((path) => !start.includes(path) && !agents.includes(path)),
  Packages: ['CONTRIBUTING.md', ...['libs', 'apps'].flatMap(list).map((path) => `${path}/README.md`)],
  Decisions: ['docs/decisions/README.md', ...markdown('docs/decisions').filter((path) => /\d/.test(path))],
};
sources.Packages = sources.Packages.filter((path) => exists(path) && !sources.Agents.includes(path));
const paths = Object.values(sources).flat();
const names = new Map(paths.map((path) => [path, nameOf(path)]));
if (new Set(names.values()).size < paths.length) throw new Error('Two pages of the site have one name.');

function nameOf(path) {
  if (path === 'README.md') return 'index';
  if (path === 'docs/openapi.json') return 'reference';
  return basename(path.replace('/README.md', ''), '.md').toLowerCase();
}

/**
 * Write every page into a folder.
 *
 * @returns name, title and group of each page
 */
export function writePages(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return Object.entries(sources).flatMap(([group, files]) =>
    files.map((path) => {
      const name = names.get(path);
      const page = pageOf(path);
      writeFileSync(join(folder, `${name}.md`), page);
      const [, title] = /^# (.+)$/m.exec(page);
      return { name, title: title.replace('@yield-vault/', ''), group };
    }),
  );
}

function pageOf(path) {
  if (path === 'docs/examples') return examplesPage(list(path).map((file) => [basename(file), read(file)]));
  if (path === 'docs/openapi.json') return referencePage(JSON.parse(read(path)));
  return read(path)
    .split(/(^ *```[^]*?^ *```$)/m)
    .map((text, index) =>
      index % 2 ? text : text.replace(/\]\(([^)\s]+)\)/g, (_, link) => `](${linkFrom(path, link)})`),
    )
    .join('');
}

function linkFrom(path, link) {
  const [target, anchor] = link.replace(new RegExp(`^${repository}/(blob|tree)/main/`), '/').split('#');
  if (target === '' || /^[a-z]+:/.test(target)) return link;
  const file = target.startsWith('/') ? target.slice(1) : posix.join(dirname(path), target);
  const name = names.get(file) ?? names.get(posix.join(file, 'README.md'));
  const suffix = anchor === undefined ? '' : `#${anchor}`;
  if (name) return `${name}.md${suffix}`;
  if (!exists(file)) throw new Error(`${path} links to ${link}, which does not exist.`);
  return `${repository}/blob/main/${file}${suffix}`;
}
