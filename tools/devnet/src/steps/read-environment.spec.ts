import { readPort, readPorts, readRelayMode } from './read-environment.js';

describe('readPorts', () => {
  it('default: any free port', () => {
    const any = { rpc: 0, bundler: 0 };
    expect(readPorts({})).toEqual({ ethereum: any, base: any, arbitrum: any });
  });

  it('behavior: the environment overrides the defaults', () => {
    const defaults = { ethereum: { rpc: 1, bundler: 2 }, base: { rpc: 3, bundler: 4 } };
    const env = { DEVNET_BASE_RPC_PORT: '0', DEVNET_ETHEREUM_BUNDLER_PORT: '5000' };
    expect(readPorts(env, defaults)).toMatchObject({
      ethereum: { rpc: 1, bundler: 5000 },
      base: { rpc: 0, bundler: 4 },
    });
  });
});

describe('readPort', () => {
  it.each(['65536', '-1', '80a', '1.5'])('error: %s is no port', (text) => {
    expect(() => readPort({ PORT: text }, 'PORT', 3000)).toThrow(RangeError);
  });
});

describe('readRelayMode', () => {
  it('default: managed forks', () => {
    expect([readRelayMode({}), readRelayMode({ RELAY_MODE: '' })]).toEqual(['managed-fork', 'managed-fork']);
  });

  it('behavior: the environment decides', () => {
    expect(readRelayMode({ RELAY_MODE: 'chain' })).toBe('chain');
  });

  it('error: anything else, said in one sentence', () => {
    expect(() => readRelayMode({ RELAY_MODE: 'fork' })).toThrow(/^RELAY_MODE is "fork"; .* expected\.$/);
  });
});
