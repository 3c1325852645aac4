import { createAdvisoryLock, openDatabase } from '@yield-vault/database';

/** Opens the database given, takes the lock, prints that, and holds the lock until killed. */
async function hold(url: string): Promise<void> {
  const database = await openDatabase({ url });
  await createAdvisoryLock(database, 'test').run(async () => {
    process.stdout.write('held\n');
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  }, Date.now() + 5_000);
}

hold(process.argv[2]!).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
