// Writes the Markdown of the repository as the pages of the site, with links that work there.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const repository = 'https://github.com/yield-vault/yield-vault-service';
const list = (folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
const docs = (...names) => names.map((name) => `docs/${name}.md`);

/** Groups of the sidebar. A file belongs to the first that names it. */
const groups = {
  Start: ['README.md', ...docs('glossary'), 'libs/contracts/SECURITY.md', 'CONTRIBUTING.md'],
  Agents: [
    ...docs('rest', 'calls', 'fleets', 'signing', 'bytes', 'addresses', 'errors', 'limits', 'metrics'),
    'libs/agent-client/README.md',
    'apps/mcp/README.md',
    'docs/mcp-clients.md',
  ],
  Operators: list('docs'),
  Packages: ['libs', 'apps'].flatMap(list).map((path) => `${path}/README.md`),
  Decisions: ['docs/decisions/README.md', ...list('docs/decisions')],
};

/** Name and group of each page, by its file. */
const pages = new Map();
for (const [group, paths] of Object.entries(groups))
  for (const path of paths)
    if (path.endsWith('.md') && !pages.has(path) && existsSync(join(root, path)))
      pages.set(path, { group, name: nameOf(path) });
if (new Set([...pages.values()].map(({ name }) => name)).size < pages.size)
  throw new Error('Two pages of the site have one name.');

function nameOf(path) {
  const name = basename(path.replace('/README.md', ''), '.md').toLowerCase();
  return name === 'readme' ? 'index' : name;
}

/**
 * Write every page into a folder.
 *
 * @returns name, title and group of each page
 */
export function writePages(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return [...pages].map(([path, { name, group }]) => {
    const page = followLinks(path, readFileSync(join(root, path), 'utf8'));
    writeFileSync(join(folder, `${name}.md`), page);
    const [, title] = /^# (?:@yield-vault\/)?(.+)$/m.exec(page);
    return { name, title, group };
  });
}

const followLinks = (path, text) =>
  text.replace(/^ *```[^]*?^ *```$|\]\(([^)\s]+)\)/gm, (found, link) =>
    link ? `](${linkFrom(path, link)})` : found,
  );

function linkFrom(path, link) {
  const [target, anchor] = link.replace(new RegExp(`^${repository}/(blob|tree)/main`), '').split('#');
  if (target === '' || /^[a-z]+:/.test(target)) return link;
  const file = target.startsWith('/') ? target.slice(1) : posix.join(path, '..', target);
  const page = pages.get(file) ?? pages.get(posix.join(file, 'README.md'));
  if (!existsSync(join(root, file))) throw new Error(`${path} links to ${link}, which does not exist.`);
  return [page ? `${page.name}.md` : `${repository}/blob/main/${file}`, anchor].filter(Boolean).join('#');
}
