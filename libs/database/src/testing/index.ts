export {
  createTemporaryPostgres,
  databaseBackends,
  isPostgresReachable,
  openTestDatabase,
  testPostgresUrl,
  type DatabaseBackend,
} from './database-backends.js';
