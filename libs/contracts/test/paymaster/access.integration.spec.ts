import {
  type Hex,
  type PrivateKeyAccount,
  encodeFunctionData,
  parseEther,
  parseEventLogs,
  zeroHash,
} from 'viem';
import { usdcPaymasterAbi } from '../../src/generated/UsdcPaymaster.js';
import { paymasterPostOpGas, paymasterRefreshGas } from '../../src/paymaster-cost.js';
import { configuredAgent, handleOps, max } from '../support/account.js';
import { type TestChain, entryPoint, localContracts, operator, startTestChain } from '../support/chain.js';
import { owned, poke, termsOf, usdcOf } from '../support/paymaster.js';
import { handleOpsRevert, revertOf } from '../support/reverts.js';
import { encode } from '../support/calls.js';

const { paymaster } = localContracts;

describe('UsdcPaymaster: access', () => {
  let chain: TestChain;
  let agent: PrivateKeyAccount;
  let snapshot: Hex;
  beforeAll(async () => {
    chain = await startTestChain();
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    snapshot = await chain.node.snapshot();
    agent = await configuredAgent(chain);
  });
  afterEach(() => chain.node.revert({ id: snapshot }));

  const gated: readonly (readonly [string, readonly unknown[]])[] = [
    ['setMarkup', [1]],
    ['setOperationCeiling', [1n]],
    ['withdrawTokens', [operator.address, operator.address, 1n]],
    ['deposit', []],
    ['withdrawDeposit', [operator.address, 1n]],
    ['addStake', [1]],
    ['unlockStake', []],
    ['withdrawStake', [operator.address]],
    ['transferOwnership', [operator.address]],
  ];

  it.each(gated)('error: OwnableUnauthorizedAccount for %s', async (functionName, args) => {
    const data = encodeFunctionData({ abi: usdcPaymasterAbi, functionName, args } as never);
    expect(await revertOf(chain, { from: agent.address, to: paymaster, data })).toEqual([
      'OwnableUnauthorizedAccount',
      agent.address,
    ]);
  });

  it('error: PaymasterUnauthorized for validation and postOp from anybody but the entry point', async () => {
    const calls = [
      encode(usdcPaymasterAbi, 'validatePaymasterUserOp', [await poke(chain, agent), zeroHash, 1n]),
      encode(usdcPaymasterAbi, 'postOp', [0, '0x', 1n, 1n]),
    ];
    for (const data of calls) {
      expect(await revertOf(chain, { to: paymaster, data })).toEqual([
        'PaymasterUnauthorized',
        operator.address,
      ]);
    }
  });

  it('error: PaymasterMarkupTooHigh', async () => {
    const data = encode(usdcPaymasterAbi, 'setMarkup', [2_001]);
    expect(await revertOf(chain, { to: paymaster, data })).toEqual(['PaymasterMarkupTooHigh', 2_001n]);
    expect((await owned(chain, 'setMarkup', [2_000])).status).toBe('success');
  });

  it('behavior: ownership moves in two steps', async () => {
    await owned(chain, 'transferOwnership', [agent.address]);
    const owner = () => chain.read(paymaster, usdcPaymasterAbi, 'owner');
    expect(await owner()).toBe(operator.address);
    const accept = encode(usdcPaymasterAbi, 'acceptOwnership');
    expect(await revertOf(chain, { to: paymaster, data: accept })).toEqual([
      'OwnableUnauthorizedAccount',
      operator.address,
    ]);
    await chain.mined(chain.walletOf(agent).sendTransaction({ to: paymaster, data: accept }));
    expect(await owner()).toBe(agent.address);
  });

  it('behavior: earned tokens, deposit and stake go out to the owner', async () => {
    await handleOps(chain, await poke(chain, agent));
    const earned = await usdcOf(chain, paymaster);
    const to = '0x00000000000000000000000000000000000000aa';
    await owned(chain, 'withdrawTokens', [chain.usdc, to, 1n]);
    await owned(chain, 'withdrawTokens', [chain.usdc, to, max]);
    expect([await usdcOf(chain, to), await usdcOf(chain, paymaster)]).toEqual([earned, 0n]);

    await owned(chain, 'deposit', [], 5n);
    await owned(chain, 'withdrawDeposit', [to, 5n]);
    await owned(chain, 'unlockStake');
    await chain.node.increaseTime({ seconds: 86_401 });
    await owned(chain, 'withdrawStake', [to]);
    expect(await chain.client.getBalance({ address: to })).toBe(parseEther('1') + 5n);
  });

  it('error: PaymasterNeedsOwner when anybody, the owner included, would leave it without one', async () => {
    const data = encode(usdcPaymasterAbi, 'renounceOwnership');
    for (const from of [operator.address, agent.address]) {
      expect(await revertOf(chain, { from, to: paymaster, data })).toEqual(['PaymasterNeedsOwner']);
    }
  });

  it('behavior: holds the token and entry point of its chain, and the constants of the library', async () => {
    const read = (functionName: 'usdc' | 'entryPoint' | 'POST_OP_GAS' | 'REFRESH_GAS') =>
      chain.read(paymaster, usdcPaymasterAbi, functionName);
    expect([await read('usdc'), await read('entryPoint')]).toEqual([chain.usdc, entryPoint]);
    expect(await read('POST_OP_GAS')).toBe(paymasterPostOpGas);
    expect(await read('REFRESH_GAS')).toBeLessThan(paymasterRefreshGas);
  });

  it('behavior: markup and ceiling change nothing else of the terms', async () => {
    const before = await termsOf(chain);
    const { logs } = await owned(chain, 'setMarkup', [2_000]);
    expect(await termsOf(chain)).toEqual({ ...before, markupBps: 2_000 });
    const second = await owned(chain, 'setOperationCeiling', [2n ** 64n - 1n]);
    expect(await termsOf(chain)).toEqual({
      ...before,
      markupBps: 2_000,
      operationCeiling: 2n ** 64n - 1n,
    });
    const events = parseEventLogs({ abi: usdcPaymasterAbi, logs: [...logs, ...second.logs] });
    expect(events.map(({ eventName, args }) => [eventName, args])).toEqual([
      ['MarkupChanged', { markupBps: 2_000 }],
      ['OperationCeilingChanged', { ceiling: 2n ** 64n - 1n }],
    ]);
  });

  it('behavior: a ceiling of zero stops the paymaster', async () => {
    await owned(chain, 'setOperationCeiling', [0n]);
    expect(await handleOpsRevert(chain, await poke(chain, agent))).toMatchObject({
      1: 'PaymasterCostAboveCeiling',
    });
  });
});
