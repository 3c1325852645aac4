import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../../..');
const repository = 'https://github.com/yield-vault/yield-vault-service/';
const files = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The anchors of a document, as GitHub makes them from its headings. */
function anchorsOf(path: string): readonly string[] {
  const headings = withoutCode(read(path)).matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const withoutCode = (text: string) => text.replaceAll(/^```[^]*?^```$/gm, '');

const linksOf = (path: string) =>
  [...withoutCode(read(path)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);

/** The links of a document into this repository that lead nowhere. */
function deadLinks(path: string): readonly string[] {
  return linksOf(path).filter((link) => {
    const local = link.replace(new RegExp(`^${repository}(?:blob|tree)/main/`), '/');
    if (/^[a-z]+:/.test(local)) return false;
    const [target = '', anchor] = local.split('#');
    const file = target.startsWith('/') ? target.slice(1) : target ? join(path, '..', target) : path;
    if (!existsSync(join(root, file))) return true;
    return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).includes(anchor);
  });
}

it('default: every link of a document leads to a file or heading of the repository', () => {
  const dead = files.flatMap((path) => deadLinks(path).map((link) => `${path}: ${link}`));
  expect(files.length).toBeGreaterThan(50);
  expect(dead).toEqual([]);
});

it('behavior: every path of the repository that a document puts between backquotes exists', () => {
  const mentioned = files.flatMap((path) =>
    [...withoutCode(read(path)).matchAll(/`((?:apps|libs|tools|docs|config)\/[\w./-]+)`/g)].map(
      ([, mentionedPath]) => ({ path, mentionedPath: mentionedPath! }),
    ),
  );
  expect(mentioned.length).toBeGreaterThan(40);
  expect(mentioned.filter(({ mentionedPath }) => !existsSync(join(root, mentionedPath)))).toEqual([]);
});

it('behavior: the README of a package shows its links on npm too', () => {
  const isPublished = (path: string) =>
    (JSON.parse(read(path.replace('README.md', 'package.json'))) as { private?: boolean }).private !== true;
  const readmes = files
    .filter((path) => /^(libs\/[^/]+|apps\/mcp)\/README\.md$/.test(path))
    .filter(isPublished);
  const relative = readmes.flatMap((path) => linksOf(path).filter((link) => !/^(https?:|#)/.test(link)));
  expect(readmes.length).toBeGreaterThan(10);
  expect(relative).toEqual([]);
});
