import { DatabaseLockedError, DatabaseMigrationError, openDatabase } from '@yield-vault/database';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { ConfigError } from '@yield-vault/server';
import { describeStartFailure } from './describe-start-failure.js';

describe('describeStartFailure', () => {
  it('behavior: a locked database says which', () => {
    expect(describeStartFailure(new DatabaseLockedError('/data'))).toContain('/data');
  });

  it('behavior: a database that cannot be used says why and what to check, and no secret', async () => {
    const url = 'postgres://someone:secret@127.0.0.1:1/yield';
    const error: unknown = await openDatabase({ url }).catch((thrown: unknown) => thrown);
    expect(describeStartFailure(error)).toBe(
      'The database cannot be used (ECONNREFUSED). Check DATABASE_URL, and that PostgreSQL is running.',
    );
  });

  it('behavior: a failure without a code is told in its words', () => {
    const cause = new Error('The server does not support SSL connections');
    const details = { dependency: 'database' };
    const error = new UpstreamUnavailableError({ detail: 'It does not answer.', details, cause });
    expect(describeStartFailure(error)).toContain(`(${cause.message})`);
  });

  it('behavior: a failed migration says which and why', () => {
    const error = new DatabaseMigrationError('0001-discovery', { cause: new Error('no permission') });
    expect(describeStartFailure(error)).toBe(error.message);
  });

  it('behavior: what every server can meet', () => {
    expect(describeStartFailure(new ConfigError('config/local.yaml', ['first']))).toContain('first');
    expect(describeStartFailure(new Error('boom'))).toBeUndefined();
  });
});
