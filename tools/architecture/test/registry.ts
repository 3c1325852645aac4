import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort } from '@yield-vault/forks/anvil';
import { parse } from 'yaml';
import { run } from './run.js';

export const root = resolve(__dirname, '../../..');

/** A registry on this machine that has the libraries of this repository and nothing else. */
export interface Registry {
  readonly url: string;
  stop(): Promise<void>;
}

/** Start Verdaccio in a folder, and publish every library to it by the commands of a release. */
export async function publishToLocalRegistry(folder: string): Promise<Registry> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = join(folder, 'verdaccio.yaml');
  writeFileSync(
    config,
    `storage: ${join(folder, 'storage')}
packages: { '@yield-vault/*': { access: $all, publish: $all } }
max_body_size: 50mb
log: { type: stdout, format: json, level: error }
`,
  );
  const bin = join(root, 'node_modules/verdaccio/bin/verdaccio');
  const server = spawn(process.execPath, [bin, '--config', config, '--listen', `127.0.0.1:${port}`], {
    stdio: 'ignore',
  });
  const ended = new Promise<void>((end) => server.once('exit', () => end()));
  const stop = async () => {
    server.kill();
    await ended;
  };
  try {
    await untilUp(url, ended);
    // The registry accepts any token, but npm demands one. A global configuration leaves ~/.npmrc alone.
    const globalConfig = join(folder, 'npmrc');
    writeFileSync(globalConfig, `//127.0.0.1:${port}/:_authToken=local\n`);
    const packed = join(folder, 'packed');
    await run(join(root, '.ci/pack'), [packed], root);
    const publish = (from: string) =>
      run('bash', ['-ec', publishScript()], from, {
        npm_config_registry: url,
        npm_config_globalconfig: globalConfig,
      });
    // npm takes seconds for each tarball, and one core.
    const half = join(packed, 'half');
    mkdirSync(half);
    const moved = readdirSync(packed).filter((name, index) => name.endsWith('.tgz') && index % 2 === 0);
    for (const name of moved) renameSync(join(packed, name), join(half, name));
    await Promise.all([publish(half), publishInTwoRuns(packed, publish)]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

/** The script of the job that publishes. */
function publishScript(): string {
  const { jobs } = parse(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')) as Workflow;
  const steps = jobs['publish']?.steps ?? [];
  return steps.find((step) => step.run?.includes('npm publish'))?.run ?? 'exit 1';
}

/** Stop a release at a broken tarball. Its second run must publish the others. */
async function publishInTwoRuns(from: string, publish: (from: string) => Promise<string>): Promise<void> {
  const tarballs = readdirSync(from)
    .filter((name) => name.endsWith('.tgz'))
    .sort();
  const broken = join(from, tarballs[1]!);
  const tarball = readFileSync(broken);
  writeFileSync(broken, '');
  await assert.rejects(publish(from));
  writeFileSync(broken, tarball);
  await publish(from);
}

/** A workflow of GitHub Actions. */
export interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

export interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

async function untilUp(url: string, ended: Promise<void>): Promise<void> {
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  const isUp = () =>
    fetch(`${url}/-/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (hasEnded) throw new Error('Verdaccio ended. Run it by hand to see why.');
    await new Promise((wait) => setTimeout(wait, 200));
  }
}
