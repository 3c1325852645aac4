import { openDatabase } from '@yield-vault/database';

/** Opens the directory given and inserts vaults until killed, printing each id once it is acknowledged. */
async function insertVaults(directory: string, from: number): Promise<void> {
  const { db } = await openDatabase({ directory });
  process.stdout.write('open\n');
  for (let id = from; ; id += 1) {
    await db
      .insertInto('vault')
      .values({ vault_id: BigInt(id), chain_id: 1n, address: `0x${id}` })
      .execute();
    process.stdout.write(`${id}\n`);
  }
}

insertVaults(process.argv[2]!, Number(process.argv[3])).catch((error: unknown) => {
  process.stderr.write(`${(error as Error).name}\n`);
  process.exit(1);
});
