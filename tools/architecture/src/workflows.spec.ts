import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { Workflow } from '../test/registry.js';

const folder = resolve(__dirname, '../../../.github/workflows');
const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
const jobs = texts.flatMap((text) => {
  const { permissions, jobs: all } = parse(text) as Workflow;
  return Object.entries(all).map(([name, job]) => ({ name, permissions, ...job }));
});
const canWrite = ({ permissions }: (typeof jobs)[number]) =>
  permissions === undefined || JSON.stringify(permissions).includes('write');

it('default: every action is pinned by its commit', () => {
  const actions = texts.flatMap((text) => [...text.matchAll(/uses: (.*)/g)].map(([, action]) => action!));
  expect(actions.length).toBeGreaterThan(5);
  expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v[\d.]+$/.test(action))).toEqual([]);
});

it('behavior: no workflow has a stored secret, and no job that runs dependencies has a token', () => {
  expect(texts.filter((text) => /secrets\b/.test(text))).toEqual([]);
  const reading = jobs.filter((job) => !canWrite(job));
  expect(reading.map(({ name }) => name)).toContain('build');
  expect(reading.filter((job) => /token/i.test(JSON.stringify(job)))).toEqual([]);
  const checkouts = texts.flatMap((text) => [...text.matchAll(/uses: actions\/checkout@.*\n(.*)/g)]);
  expect(checkouts.filter(([, options]) => !options!.includes('persist-credentials: false'))).toEqual([]);
});

it('behavior: a job that can publish or write neither checks out, nor installs, nor builds', () => {
  const writing = jobs.filter(canWrite);
  expect(writing.map(({ name }) => name)).toEqual(['publish', 'images', 'tag']);
  const steps = writing.flatMap(({ steps: all }) => all.flatMap(({ uses, run }) => uses ?? run ?? []));
  expect(
    steps.filter((step) => /checkout|npm (ci|i|install|run|test|exec)|npx|\.ci\/|node [\w./]/.test(step)),
  ).toEqual([]);
});
