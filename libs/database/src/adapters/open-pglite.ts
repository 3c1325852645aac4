import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite, types } from '@electric-sql/pglite';
import { dataDir as emptyDatabase } from '@electric-sql/pglite-prepopulatedfs';

const parsers = { [types.INT8]: (value: string) => BigInt(value) };

/**
 * Open PGlite in a directory or in memory. A new database is unpacked instead of made: making one takes three
 * times the time and twice the memory.
 */
export async function openPglite(directory: string | undefined): Promise<PGlite> {
  if (directory === undefined) return PGlite.create({ loadDataDir: await emptyDatabase(), parsers });
  // There while the directory is unpacked: a process killed meanwhile leaves a part of a database.
  const unpacking = `${directory}.unpacking`;
  const version = join(directory, 'PG_VERSION');
  if (existsSync(version) && !existsSync(unpacking)) return PGlite.create({ dataDir: directory, parsers });
  await writeFile(unpacking, '');
  await rm(version, { force: true });
  const database = await PGlite.create({ dataDir: directory, loadDataDir: await emptyDatabase(), parsers });
  await rm(unpacking);
  return database;
}
