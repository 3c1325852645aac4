import { gasAskedFor } from './gas-asked-for.js';

describe('gasAskedFor', () => {
  it.each<[string, unknown, bigint]>([
    ['eth_call', [{ to: '0x01', gas: '0xff' }, 'latest'], 255n],
    ['eth_call', [{ to: '0x01', gasLimit: '0xFF' }, 'latest'], 255n],
    ['eth_call', [{ to: '0x01' }, 'latest', {}, { gasLimit: 1e12 }], 10n ** 12n],
    ['eth_call', [{ to: '0x01' }, 'latest'], 0n],
    ['eth_estimateGas', [{ gas: 'much' }], 0n],
    [
      'eth_simulateV1',
      [{ blockStateCalls: [{ calls: [{ gas: '0x2' }, {}] }, { calls: [{}] }] }],
      60_000_002n,
    ],
    ['eth_sendRawTransaction', [{ gas: '0xff' }], 0n],
    ['eth_call', undefined, 0n],
    ['eth_call', 'nonsense', 0n],
  ])('default: %s %j', (method, params, gas) => {
    expect(gasAskedFor(method, params)).toBe(gas);
  });

  it('attack: parameters that are nested deep', () => {
    const deep: unknown = JSON.parse('['.repeat(5_000) + '{"gas":7}' + ']'.repeat(5_000));
    expect(gasAskedFor('eth_call', deep)).toBe(7n);
  });
});
