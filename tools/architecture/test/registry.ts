import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { run } from './run.js';

export const root = resolve(__dirname, '../../..');

/** A registry on this machine that has the libraries of this repository and nothing else. */
export interface Registry {
  readonly url: string;
  stop(): Promise<void>;
}

/** Start Verdaccio in a folder, and publish every library to it by the command of a release. */
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
    await run('npx', ['nx', 'release', 'publish', '--registry', url, '--outputStyle=static'], root, {
      ...{ NX_DAEMON: 'false', npm_config_globalconfig: globalConfig },
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
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
