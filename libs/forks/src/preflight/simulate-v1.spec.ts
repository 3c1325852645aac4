import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pad, RpcRequestError, type Address } from 'viem';
import { buildSimulation, readRefusal, readSimulation } from './simulate-v1.js';
import type { SimulatedCall } from './types.js';

interface Recorded {
  readonly result?: readonly unknown[];
  readonly error?: { readonly code: number; readonly message: string };
}
const vectors = resolve(__dirname, '../../test/vectors/eth-simulate-v1.json');
const { responses } = JSON.parse(readFileSync(vectors, 'utf8')) as { responses: Record<string, Recorded> };

const from: Address = '0x00000000000000000000000000000000000000a1';
const call: SimulatedCall = { from, to: from, data: '0x1234', gas: 100_000n, maxFeePerGas: 7n };
const refusal = (code: number, message: string) =>
  new RpcRequestError({ body: {}, error: { code, message }, url: 'http://127.0.0.1' });

/** The last block of a recorded response. */
const recorded = (name: string) => responses[name]?.result?.slice(-1);
const recordedError = (name: string) => {
  const { code = 0, message = '' } = responses[name]?.error ?? {};
  return refusal(code, message);
};

describe('buildSimulation', () => {
  it('default: one block on top of the newest one, with the given time and base fee', () => {
    const state = { [from]: { balance: 1n, code: '0xef', stateDiff: { '0x0': '0x2' } } } as const;
    expect(buildSimulation([call], state, { time: 16n, baseFeePerGas: 5n })).toEqual([
      {
        blockStateCalls: [
          {
            blockOverrides: { time: '0x10', baseFeePerGas: '0x5' },
            stateOverrides: {
              [from]: {
                balance: '0x1',
                code: '0xef',
                stateDiff: { [`0x${'0'.repeat(64)}`]: `0x${'2'.padStart(64, '0')}` },
              },
            },
            calls: [
              {
                ...{ from, to: from, data: '0x1234', gas: '0x186a0' },
                ...{ maxFeePerGas: '0x7' },
              },
            ],
          },
        ],
        validation: true,
      },
      'latest',
    ]);
  });

  it('behavior: calls that pay nothing are not validated', () => {
    const { maxFeePerGas: _, ...free } = call;
    expect(buildSimulation([call, free], {}, undefined)).toMatchObject([{ validation: false }, 'latest']);
  });
});

describe('readSimulation', () => {
  it('default: returned values and events, as Geth reports them', () => {
    const values = readSimulation(recorded('set-read-storage')).map(({ returnData }) => returnData);
    expect(values).toEqual(['0x', pad('0x5')]);
    const [{ status, logs } = { logs: [] }] = readSimulation(recorded('logs'));
    expect(status).toBe('success');
    expect(logs).toEqual([
      {
        address: expect.stringMatching(/^0x[0-9a-f]{40}$/) as Address,
        topics: expect.any(Array) as unknown,
        data: expect.stringMatching(/^0x/) as unknown,
      },
    ]);
  });

  it('behavior: Geth puts revert data into the error alone', () => {
    const [result] = readSimulation(recorded('eth-send-should-not-produce-logs-on-revert'));
    expect(result).toMatchObject({ status: 'revert', logs: [] });
    expect(result?.returnData).toMatch(/^0x08c379a0/);
  });

  it('behavior: Anvil and Reth return revert data', () => {
    const anvil = { status: '0x0', gasUsed: '0x1', returnData: '0xaabbccdd', error: { code: -3200 } };
    expect(readSimulation([{ calls: [anvil] }])).toEqual([
      { status: 'revert', gasUsed: 1n, returnData: '0xaabbccdd', logs: [] },
    ]);
  });

  it('behavior: a revert without data is no halt where the node distinguishes them', () => {
    const reverted = readSimulation(recorded('eth-send-should-produce-no-logs-on-forward-revert'));
    expect(reverted).toMatchObject([{ status: 'revert', returnData: '0x' }]);
    const outOfGas = readSimulation(recorded('run-out-of-gas-in-block-38015'));
    expect(outOfGas.map(({ status }) => status)).toContain('halt');
  });

  it.each([null, {}, [], [{}], [{ calls: [] }, { calls: [] }], [{ calls: [{ status: '0x1' }] }]])(
    'error: %j is no response',
    (response) => expect(() => readSimulation(response)).toThrow(),
  );
});

describe('readRefusal', () => {
  it.each([
    ['simple-no-funds', 'INSUFFICIENT_BALANCE'],
    ['instrict-gas-38013', 'INTRINSIC_GAS_TOO_LOW'],
    ['basefee-too-low-with-validation-38012', 'FEE_TOO_LOW'],
    ['block-num-order-38020', 'BLOCK_OUT_OF_ORDER'],
    ['block-timestamp-order-38021', 'BLOCK_OUT_OF_ORDER'],
  ])('default: %s, as Geth reports it', (name, reason) => {
    expect(readRefusal(recordedError(name))).toBe(reason);
  });

  it.each([
    [-32003, 'Insufficient funds for gas * price + value', 'INSUFFICIENT_BALANCE'],
    [-32000, 'intrinsic gas too high -- CallGasCostMoreThanGasLimit', 'INTRINSIC_GAS_TOO_LOW'],
    [-32003, 'max fee per gas less than block base fee', 'FEE_TOO_LOW'],
    [-38015, 'block gas limit reached', 'NOT_INCLUDED'],
  ])('default: %p %s', (code, message, reason) => {
    expect(readRefusal(refusal(code, message))).toBe(reason);
  });

  it.each([
    recordedError('make-call-with-future-block'),
    refusal(-32603, 'failed to get account for 0x01: HTTP error 500'),
    refusal(-32601, 'Method not found'),
    new Error('Insufficient funds'),
  ])('behavior: %s refuses no call', (error) => {
    expect(readRefusal(error)).toBeUndefined();
  });
});
