import { once } from 'node:events';
import { startScript } from '../../test/start-script.js';
import { openDatabase } from '../open-database.js';
import { createTemporaryPostgres, isPostgresReachable } from '../testing/index.js';
import { createAdvisoryLock } from './create-advisory-lock.js';

const onPostgres = isPostgresReachable() ? it : it.skip;

onPostgres('behavior: the lock of a killed process is free', async () => {
  const postgres = await createTemporaryPostgres();
  const database = await openDatabase(postgres);
  const child = startScript('hold-lock.ts', postgres.url);
  await once(child.stdout!, 'data');
  const waiting = createAdvisoryLock(database, 'test').run(() => Promise.resolve('ran'), Date.now() + 30_000);
  child.kill('SIGKILL');
  await expect(waiting).resolves.toBe('ran');
  await database.close();
  await postgres.drop();
});
