// Entry of `npm run demo`, `npm start`, `npm test` and `npm run test:full` on a fresh clone. Installs missing packages and Anvil, builds,
// then runs the command. It imports no package, because none may be installed yet.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkAnvil, checkNode, install, installAnvil } from './prepare-machine.mjs';
import { Failure, root, showing, stopRunning } from './run.mjs';
import { test } from './test.mjs';

const commands = { demo, start, test: () => test('quick'), 'test:full': () => test('full') };

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, stopRunning);

try {
  const command = commands[process.argv[2]];
  if (!command)
    throw new Failure(`Usage: node tools/bootstrap/main.mjs ${Object.keys(commands).join(' | ')}`);
  checkNode();
  checkAnvil();
  await install();
  await installAnvil();
  // Exit explicitly, so that children of a failed command end too.
  process.exit(await command());
} catch (error) {
  console.error(error instanceof Failure ? error.message : error);
  process.exitCode = 1;
}

async function demo() {
  const given = process.argv.slice(3);
  const unknown = given.find((option) => option !== '--paid');
  if (unknown)
    throw new Failure(`Unknown option ${unknown}. The demo takes --paid: the agent then pays for its calls.`);
  await build();
  return (await launcher()).runDemo({ paid: given.includes('--paid') });
}

async function start() {
  await build();
  return (await launcher()).serve();
}

function build() {
  return showing('Building', 'nx', ['run-many', '-t', 'build', '--parallel=2']);
}

function launcher() {
  return import(pathToFileURL(join(root, 'tools/devnet/dist/launcher.js')).href);
}
