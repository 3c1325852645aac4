import { DatabaseLockedError } from '@yield-vault/database';
import { ConfigError } from '@yield-vault/server';
import { describeStartFailure } from './describe-start-failure.js';

describe('describeStartFailure', () => {
  it('behavior: a locked database says which', () => {
    expect(describeStartFailure(new DatabaseLockedError('/data'))).toContain('/data');
  });

  it('behavior: what every server can meet', () => {
    expect(describeStartFailure(new ConfigError('config/local.yaml', ['first']))).toContain('first');
    expect(describeStartFailure(new Error('boom'))).toBeUndefined();
  });
});
