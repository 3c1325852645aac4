import { Kysely, Migrator, PostgresDialect, type PostgresPool } from 'kysely';
import { createPglitePool } from '../../src/adapters/pglite-pool.js';
import { createPostgresPool } from '../../src/adapters/postgres-pool.js';
import { migrations } from '../../src/migrations/migrations.js';
import type { Schema } from '../../src/schema/schema.js';
import { createTemporaryPostgres, isPostgresReachable } from '../../src/testing/index.js';

export interface OldDatabase {
  readonly db: Kysely<Schema>;
  migrateTo(name: string): Promise<void>;
  close(): Promise<void>;
}

interface OldBackend {
  readonly name: string;
  /** Open an empty database without any table. */
  open(): Promise<OldDatabase>;
}

/** Every back end that can be used here, for tests of what a migration does to what is there already. */
export const oldBackends: readonly OldBackend[] = [
  {
    name: 'PGlite',
    open: async () =>
      openOn(await createPglitePool({ directory: undefined, assertUsable: () => undefined }), () =>
        Promise.resolve(),
      ),
  },
  ...(isPostgresReachable()
    ? [
        {
          name: 'PostgreSQL',
          open: async () => {
            const { url, drop } = await createTemporaryPostgres();
            return openOn(createPostgresPool({ url }), drop);
          },
        },
      ]
    : []),
];

function openOn(pool: PostgresPool, drop: () => Promise<void>): OldDatabase {
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return {
    db,
    async migrateTo(name) {
      const provider = { getMigrations: () => Promise.resolve({ ...migrations }) };
      const { error } = await new Migrator({ db, provider }).migrateTo(name);
      if (error) throw error as Error;
    },
    close: () => db.destroy().finally(drop),
  };
}
