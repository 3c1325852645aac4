import { readRelayMode } from './read-relay-mode.js';

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
