import { assert, jsonValue, property, string } from 'fast-check';
import type { TransactionSerializable } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { nameGas, requestedGas } from './requested-gas.js';

const tooMuch = 2n ** 256n;

describe('requestedGas', () => {
  it.each<[string, unknown, bigint]>([
    ['eth_call', [{ to: '0x01', gas: '0xff' }, 'latest'], 255n],
    ['eth_call', [{ to: '0x01', gasLimit: '0xFF' }, 'latest'], 255n],
    ['eth_call', [{ to: '0x01' }, 'latest', {}, { gasLimit: 1e12 }], 10n ** 12n],
    ['eth_call', [{ to: '0x01' }, 'latest'], 0n],
    ['eth_call', [{ to: '0x01', gas: null }, 'latest'], 0n],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [{ gas: '0x2' }, { gas: '0x3' }] }] }], 5n],
    ['eth_getBalance', [{ gas: '0xff' }], 0n],
    ['eth_call', undefined, 0n],
    ['eth_call', 'nonsense', 0n],
  ])('default: %s %j', (method, params, gas) => {
    expect(requestedGas(method, params)).toBe(gas);
  });

  const to = `0x${'11'.repeat(20)}` as const;
  const fees = { chainId: 8453, to, maxFeePerGas: 2n, gas: 21_000n };
  const authorization = { chainId: 8453, address: to, nonce: 1, r: to, s: to, yParity: 1 };
  it.each<TransactionSerializable>([
    { type: 'legacy', chainId: 8453, to, gasPrice: 2n, gas: 21_000n },
    { type: 'legacy', to, gasPrice: 2n, gas: 21_000n },
    { type: 'eip2930', chainId: 8453, to, gasPrice: 2n, gas: 21_000n },
    { type: 'eip1559', ...fees },
    { type: 'eip4844', ...fees, maxFeePerBlobGas: 1n, blobVersionedHashes: [`0x01${'22'.repeat(31)}`] },
    { type: 'eip7702', ...fees, authorizationList: [authorization] },
  ])('behavior: a signed transaction names its gas: $type', async (transaction) => {
    const signed = await privateKeyToAccount(generatePrivateKey()).signTransaction(transaction);
    for (const method of ['eth_sendRawTransaction', 'eth_sendRawTransactionSync'])
      expect(requestedGas(method, [signed])).toBe(21_000n);
  });

  it.each([[['0x02']], [['0x7e01']], [[5]], [[]], [{ bytes: '0x02' }], [undefined]])(
    'attack: a transaction that cannot be parsed, %j, counts as the gas of a block',
    (params) => {
      expect(requestedGas('eth_sendRawTransaction', params)).toBe(30_000_000n);
    },
  );

  it.each([-1, -1e15, '-1', '-0x1', 'much', '0x', 1.5, true, [-5], { of: 5 }])(
    'attack: %j is no amount, and makes no room for others',
    (amount) => {
      expect(requestedGas('eth_call', [{ gas: '0x5' }, { gasLimit: amount }])).toBe(tooMuch + 5n);
    },
  );

  it('property: a further field never lowers the sum', () => {
    assert(
      property(jsonValue(), jsonValue(), string(), (params, more, name) => {
        const alone = requestedGas('eth_call', params);
        expect(requestedGas('eth_call', [params, more])).toBe(alone + requestedGas('eth_call', more));
        for (const key of [name, 'gas', 'gasLimit', 'calls']) {
          const field = { [key]: more };
          expect(requestedGas('eth_call', { ...field, of: params })).toBeGreaterThanOrEqual(alone);
        }
      }),
    );
  });

  it('attack: parameters that are nested deep', () => {
    const deep: unknown = JSON.parse('['.repeat(5_000) + '{"gas":7}' + ']'.repeat(5_000));
    expect(requestedGas('eth_call', deep)).toBe(7n);
  });
});

describe('nameGas', () => {
  const gas = '0x1c9c380';
  const simulation = (...calls: unknown[]) => [{ blockStateCalls: [{ calls }], validation: true }, 'latest'];

  it.each([
    ['eth_call', [{ to: '0x01' }, 'latest'], [{ to: '0x01', gas }, 'latest']],
    ['eth_createAccessList', [{ gas: null }], [{ gas }]],
    ['eth_estimateGas', [{ gasLimit: '0x1' }], [{ gasLimit: '0x1', gas }]],
    [
      'eth_simulateV1',
      simulation({ gas: '0x2' }, { gas: null }, {}),
      simulation({ gas: '0x2' }, { gas }, { gas }),
    ],
  ])('attack: %s has a limit, also when %j names no gas', (method, params, named) => {
    expect(nameGas(method, params)).toEqual(named);
  });

  it.each([
    ['eth_call', [{ gas: '0x5' }, 'latest']],
    ['eth_call', ['nonsense']],
    ['eth_call', undefined],
    ['eth_getBalance', [{}]],
  ])('default: %s keeps %j', (method, params) => {
    expect(nameGas(method, params)).toBe(params);
  });

  it('attack: Anvil also reads a simulation that is written in arrays', () => {
    expect(nameGas('eth_simulateV1', [[[[null, null, [{ to: '0x01' }]]]]])).toBeUndefined();
  });
});
