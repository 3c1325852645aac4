import { createLeadership } from '../src/leadership/create-leadership.js';
import { openDatabase } from '../src/open-database.js';
import { once } from 'node:events';

/** Opens the database given, leads until killed, and prints when it begins to lead and when it no longer does. */
async function lead(url: string): Promise<void> {
  const database = await openDatabase({ url });
  process.stdout.write('open\n');
  await createLeadership(database, 'test').lead(async (signal) => {
    process.stdout.write('leading\n');
    await once(signal, 'abort');
    process.stdout.write('aborted\n');
  });
}

lead(process.argv[2]!).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
