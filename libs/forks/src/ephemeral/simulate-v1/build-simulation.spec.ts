import { pad } from 'viem';
import { call, sender } from '../../../test/support/calls.js';
import { buildSimulation, writeCall } from './build-simulation.js';

const block = { number: 255n, hash: '0x07', timestamp: 100n } as const;

describe('buildSimulation', () => {
  it('default: the block after, at the given time', () => {
    const parameters = buildSimulation(
      {
        calls: [call('counter')],
        stateOverrides: { [sender]: { balance: 16n, nonce: 2, code: '0xfe', stateDiff: { '0x0': '0x1' } } },
      },
      { block, timestamp: 101n, blockParameter: 'latest', validation: true },
    );
    expect(parameters).toEqual([
      {
        blockStateCalls: [
          {
            blockOverrides: { number: '0x100', time: '0x65' },
            stateOverrides: {
              [sender]: {
                balance: '0x10',
                nonce: '0x2',
                code: '0xfe',
                stateDiff: { [pad('0x0')]: pad('0x1') },
              },
            },
            calls: [writeCall(call('counter'))],
          },
        ],
        validation: true,
      },
      'latest',
    ]);
  });
});

describe('writeCall', () => {
  it.each([
    [undefined, '0x1c9c380'],
    [21_000n, '0x5208'],
    [30_000_001n, '0x1c9c380'],
  ])('behavior: gas %p is capped at 30 million', (gas, written) => {
    expect(writeCall(call('counter', '0x', { gas }))).toMatchObject({ gas: written });
  });

  it('behavior: without fees none are written, and with them both', () => {
    expect(writeCall(call('counter'))).not.toHaveProperty('maxFeePerGas');
    expect(writeCall(call('counter', '0x', { maxFeePerGas: 9n }))).toMatchObject({
      maxFeePerGas: '0x9',
      maxPriorityFeePerGas: '0x0',
    });
  });

  it('behavior: authorizations in hex', () => {
    const authorization = {
      address: sender,
      chainId: 8453,
      nonce: 1,
      r: '0x01',
      s: '0x02',
      yParity: 0,
    } as const;
    expect(writeCall(call('counter', '0x', { authorizationList: [authorization] }))).toMatchObject({
      authorizationList: [
        { address: sender, chainId: '0x2105', nonce: '0x1', r: '0x01', s: '0x02', yParity: '0x0' },
      ],
    });
  });
});
