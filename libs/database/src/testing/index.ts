export {
  createTemporaryPostgres,
  databaseBackends,
  isPostgresReachable,
  testPostgresUrl,
  type DatabaseBackend,
} from './database-backends.js';
