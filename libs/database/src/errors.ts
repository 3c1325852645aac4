/** Another process holds the database directory: PGlite allows one process at a time. */
export class DatabaseLockedError extends Error {
  readonly code = 'DATABASE_LOCKED' as const;

  constructor(
    /** The directory that is held. */
    readonly directory: string,
    options?: ErrorOptions,
  ) {
    super(
      `The database directory ${directory} is in use by another process. ` +
        'Stop that process, choose another directory, or use PostgreSQL (a database URL) to share one database.',
      options,
    );
    this.name = 'DatabaseLockedError';
  }
}

/** The database is behind a pooler that gives no client a session of its own. */
export class UnsupportedPoolerError extends Error {
  readonly code = 'UNSUPPORTED_POOLER' as const;

  constructor() {
    super(
      'DATABASE_URL leads to a connection pooler that shares its connections between clients (pool_mode transaction ' +
        'or statement of PgBouncer). The service needs session locks. Use pool_mode session, or connect to ' +
        'PostgreSQL directly.',
    );
    this.name = 'UnsupportedPoolerError';
  }
}

/** A migration failed, or the database was migrated by a newer version of the code. */
export class DatabaseMigrationError extends Error {
  readonly code = 'DATABASE_MIGRATION_FAILED' as const;

  constructor(
    /** The migration that failed, when one was reached. */
    readonly migration: string | undefined,
    options: { cause: unknown },
  ) {
    const reason = options.cause instanceof Error ? options.cause.message : String(options.cause);
    super(`Database migration${migration ? ` ${migration}` : ''} failed: ${reason}`, options);
    this.name = 'DatabaseMigrationError';
  }
}
