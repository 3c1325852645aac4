import { ConfigError } from './config-error.js';
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

  it('behavior: anything else is left to its stack', () => {
    expect(describeStartFailure(new Error('boom'))).toBeUndefined();
    expect(describeStartFailure('boom')).toBeUndefined();
  });
});
