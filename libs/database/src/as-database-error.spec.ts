import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { asDatabaseError } from './as-database-error.js';
import { DatabaseLockedError } from './errors.js';

const withCode = (code: string) => Object.assign(new Error('x'), { code });

describe('asDatabaseError', () => {
  it.each([
    ['refused', withCode('ECONNREFUSED')],
    ['reset', withCode('ECONNRESET')],
    ['server shutting down', withCode('57P01')],
    ['server starting', withCode('57P03')],
    ['session ended for idling', withCode('57P05')],
    ['too many connections', withCode('53300')],
    ['disk full', withCode('53100')],
    ['out of memory', withCode('53200')],
    ['I/O error', withCode('58030')],
    ['read-only after a failover', withCode('25006')],
    ['password refused', withCode('28P01')],
    ['host refused', withCode('28000')],
    ['database dropped', withCode('57P04')],
    ['directory lost to another process', new DatabaseLockedError('/data')],
    ['statement deadline', withCode('57014')],
    ['connection exception class', withCode('08006')],
    ['terminated', new Error('Connection terminated unexpectedly')],
    ['pool wait', new Error('timeout exceeded when trying to connect')],
    ['vanished server', new Error('Query read timeout')],
    ['every address of a host refused', new AggregateError([withCode('ECONNREFUSED')])],
    ['deep cause', new Error('a', { cause: new Error('b', { cause: withCode('EPIPE') }) })],
  ])('behavior: %s is an outage', (_, error) => {
    const seen = asDatabaseError(error);
    expect(seen).toBeInstanceOf(UpstreamUnavailableError);
    expect(seen?.details).toEqual({ dependency: 'database' });
    expect(seen?.cause).toBe(error);
    expect(seen?.retryable).toBe(true);
  });

  it('behavior: an error that is translated already stays itself', () => {
    const first = asDatabaseError(withCode('ECONNREFUSED'));
    expect(asDatabaseError(new Error('outer', { cause: first }))).toBe(first);
  });

  it.each([
    ['unique violation', withCode('23505')],
    ['syntax error', withCode('42601')],
    ['serialization failure', withCode('40001')],
    ['any other error', new Error('boom')],
    ['not an error', 'ECONNREFUSED'],
    ['nothing', undefined],
  ])('behavior: %s is not', (_, error) => {
    expect(asDatabaseError(error)).toBeUndefined();
  });

  it('behavior: a cause chain that loops ends', () => {
    const error = new Error('loop');
    error.cause = error;
    expect(asDatabaseError(error)).toBeUndefined();
  });
});
