import { DatabaseLockedError, DatabaseMigrationError, openDatabase } from '@yield-vault/database';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { ConfigError } from '@yield-vault/protocol';
import { describeStartFailure } from './describe-start-failure.js';

const listenFailure = (code: string) =>
  Object.assign(new Error(code), { code, syscall: 'listen', port: 3000, address: '127.0.0.1' });

describe('describeStartFailure', () => {
  it('default: a taken port names PORT', () => {
    expect(describeStartFailure(listenFailure('EADDRINUSE'))).toBe(
      'Another program uses port 3000 on 127.0.0.1. Stop it, or set PORT to a free port.',
    );
  });

  it.each(['EACCES', 'EADDRNOTAVAIL'])('behavior: %s names the place and the variable', (code) => {
    const text = describeStartFailure(listenFailure(code), { host: 'FORK_HOST', port: 'FORK_PORT' });
    expect(text).toContain('port 3000 on 127.0.0.1');
    expect(text).toContain('FORK_PORT');
  });

  it('behavior: problems of the configuration are listed', () => {
    const text = describeStartFailure(new ConfigError('config/local.yaml', ['first', 'second']));
    expect(text).toBe('config/local.yaml cannot be used:\n  - first\n  - second');
  });

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

  it('behavior: a failure without a code is reported by its message', () => {
    const cause = new Error('The server does not support SSL connections');
    const details = { dependency: 'database' };
    const error = new UpstreamUnavailableError({ detail: 'It does not respond.', details, cause });
    expect(describeStartFailure(error)).toContain(`(${cause.message})`);
  });

  it('behavior: a failed migration says which and why', () => {
    const error = new DatabaseMigrationError('0001-initial', { cause: new Error('no permission') });
    expect(describeStartFailure(error)).toBe(error.message);
  });

  it('behavior: anything else is left to its stack', () => {
    expect(describeStartFailure(new Error('boom'))).toBeUndefined();
    expect(describeStartFailure('boom')).toBeUndefined();
  });
});
