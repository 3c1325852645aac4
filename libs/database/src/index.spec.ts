import * as database from './index.js';

describe('public surface', () => {
  it('default', () => {
    expect(Object.keys(database).sort()).toEqual([
      'DatabaseLockedError',
      'DatabaseMigrationError',
      'UnsupportedPoolerError',
      'asDatabaseError',
      'chainEventTables',
      'createAdvisoryLock',
      'createPartitions',
      'databaseSchema',
      'ensurePartitions',
      'followerSilentSeconds',
      'inspectDatabase',
      'listPartitions',
      'lockPartitions',
      'openDatabase',
      'startJobs',
      'storeChainEvents',
      'writeSnapshots',
    ]);
  });
});
