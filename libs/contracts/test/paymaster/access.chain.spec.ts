import { type PrivateKeyAccount, encodeFunctionData, parseEther, parseEventLogs, zeroHash } from 'viem';
import { usdcPaymasterAbi } from '../../src/generated/UsdcPaymaster.js';
import { paymasterPostOpGas, paymasterRefreshGas } from '../../src/paymaster-cost.js';
import { configuredAgent, max } from '../support/account.js';
import { handleOps } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { entryPoint, localContracts, operator, undoEachTest, useTestChain } from '../support/chain.js';
import { owned, poke, termsOf, usdcOf } from '../support/paymaster.js';
import { handleOpsRevert, revertOf } from '../support/reverts.js';

const { paymaster } = localContracts;

describe('UsdcPaymaster: access', () => {
  const chain = useTestChain();
  let agent: PrivateKeyAccount;
  undoEachTest(chain);
  beforeEach(async () => {
    agent = await configuredAgent(chain);
  });

  it.each<[string, readonly unknown[]]>([
    ['setMarkup', [1]],
    ['setOperationCeiling', [1n]],
    ['withdrawTokens', [operator.address, operator.address, 1n]],
    ['deposit', []],
    ['withdrawDeposit', [operator.address, 1n]],
    ['addStake', [1]],
    ['unlockStake', []],
    ['withdrawStake', [operator.address]],
    ['transferOwnership', [operator.address]],
  ])('error: OwnableUnauthorizedAccount for %s', async (functionName, args) => {
    const data = encodeFunctionData({ abi: usdcPaymasterAbi, functionName, args } as never);
    const refusal = await revertOf(chain, { from: agent.address, to: paymaster, data });
    expect(refusal).toEqual(['OwnableUnauthorizedAccount', agent.address]);
  });

  it('error: PaymasterUnauthorized for validation and postOp from anybody but the entry point', async () => {
    for (const data of [
      encode(usdcPaymasterAbi, 'validatePaymasterUserOp', [await poke(chain, agent), zeroHash, 1n]),
      encode(usdcPaymasterAbi, 'postOp', [0, '0x', 1n, 1n]),
    ]) {
      const refusal = await revertOf(chain, { to: paymaster, data });
      expect(refusal).toEqual(['PaymasterUnauthorized', operator.address]);
    }
  });

  it('behavior: ownership moves in two steps', async () => {
    await owned(chain, 'transferOwnership', [agent.address]);
    const owner = () => chain.read(paymaster, usdcPaymasterAbi, 'owner');
    expect(await owner()).toBe(operator.address);
    const accept = encode(usdcPaymasterAbi, 'acceptOwnership');
    const refusal = await revertOf(chain, { to: paymaster, data: accept });
    expect(refusal).toEqual(['OwnableUnauthorizedAccount', operator.address]);
    await chain.write(paymaster, usdcPaymasterAbi, 'acceptOwnership', [], agent);
    expect(await owner()).toBe(agent.address);
  });

  it('error: PaymasterNeedsOwner when anybody, the owner included, would leave it without one', async () => {
    const data = encode(usdcPaymasterAbi, 'renounceOwnership');
    for (const from of [operator.address, agent.address]) {
      expect(await revertOf(chain, { from, to: paymaster, data })).toEqual(['PaymasterNeedsOwner']);
    }
  });

  it('behavior: earned tokens, deposit and stake go out to the owner', async () => {
    await handleOps(chain, await poke(chain, agent));
    const earned = await usdcOf(chain, paymaster);
    const to = '0x00000000000000000000000000000000000000aa';
    for (const amount of [1n, max]) await owned(chain, 'withdrawTokens', [chain.usdc, to, amount]);
    expect([await usdcOf(chain, to), await usdcOf(chain, paymaster)]).toEqual([earned, 0n]);

    await owned(chain, 'deposit', [], 5n);
    await owned(chain, 'withdrawDeposit', [to, 5n]);
    await owned(chain, 'unlockStake');
    await chain.node.increaseTime({ seconds: 86_401 });
    await owned(chain, 'withdrawStake', [to]);
    expect(await chain.client.getBalance({ address: to })).toBe(parseEther('1') + 5n);
  });

  it('behavior: holds the token and entry point of its chain, and the constants of the library', async () => {
    const names = ['usdc', 'entryPoint', 'POST_OP_GAS'] as const;
    const read = names.map((name) => chain.read(paymaster, usdcPaymasterAbi, name));
    expect(await Promise.all(read)).toEqual([chain.usdc, entryPoint, paymasterPostOpGas]);
    const refreshGas = await chain.read(paymaster, usdcPaymasterAbi, 'REFRESH_GAS');
    expect(refreshGas).toBeLessThan(paymasterRefreshGas);
  });

  it('behavior: markup up to its limit and ceiling change nothing else of the terms; a ceiling of zero stops it', async () => {
    const before = await termsOf(chain);
    const changed = await owned(chain, 'setMarkup', [2_000]);
    expect(await termsOf(chain)).toEqual({ ...before, markupBps: 2_000 });
    const data = encode(usdcPaymasterAbi, 'setMarkup', [2_001]);
    expect(await revertOf(chain, { to: paymaster, data })).toEqual(['PaymasterMarkupTooHigh', 2_001n]);

    const stopped = await owned(chain, 'setOperationCeiling', [0n]);
    expect(await termsOf(chain)).toEqual({ ...before, markupBps: 2_000, operationCeiling: 0n });
    const logs = [...changed.logs, ...stopped.logs];
    const events = parseEventLogs({ abi: usdcPaymasterAbi, logs });
    expect(events.map(({ eventName, args }) => [eventName, args])).toEqual([
      ['MarkupChanged', { markupBps: 2_000 }],
      ['OperationCeilingChanged', { ceiling: 0n }],
    ]);
    const refusal = await handleOpsRevert(chain, await poke(chain, agent));
    expect(refusal[1]).toBe('PaymasterCostAboveCeiling');
  });
});
