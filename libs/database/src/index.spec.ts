import * as database from './index.js';

describe('public surface', () => {
  it('default', () => {
    expect(Object.keys(database).sort()).toEqual([
      'DatabaseLockedError',
      'DatabaseMigrationError',
      'UnsupportedPoolerError',
      'asDatabaseError',
      'createAdvisoryLock',
      'createPartitions',
      'databaseSchema',
      'ensurePartitions',
      'listPartitions',
      'lockPartitions',
      'openDatabase',
      'startJobs',
      'writeSnapshots',
    ]);
  });
});
