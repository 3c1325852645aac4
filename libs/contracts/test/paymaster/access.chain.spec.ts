import {
  type Address,
  type PrivateKeyAccount,
  encodeDeployData,
  encodeFunctionData,
  parseEther,
  parseEventLogs,
  zeroAddress,
  zeroHash,
} from 'viem';
import { chainFacts } from '../../src/chains/chains.js';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { usdcPaymasterAbi, usdcPaymasterBytecode } from '../../src/generated/UsdcPaymaster.js';
import { paymasterPostOpGas, paymasterRefreshGas } from '../../src/paymaster-cost.js';
import { configuredAgent, max, signedOp, singleCall } from '../support/account.js';
import { bundle, handleOps } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import {
  entryPoint,
  localContracts,
  mineAt,
  operator,
  undoEachTest,
  useTestChain,
} from '../support/chain.js';
import { now, owned, poke, settingsOf, termsOf, usdcOf } from '../support/paymaster.js';
import { decodeRevert, handleOpsRevert, revertOf } from '../support/reverts.js';

const { paymaster } = localContracts;

describe('UsdcPaymaster: access', () => {
  const chain = useTestChain();
  let agent: PrivateKeyAccount;
  undoEachTest(chain);
  beforeEach(async () => {
    agent = await configuredAgent(chain);
  });

  const call = (functionName: string, args: readonly unknown[] = []) =>
    encodeFunctionData({ abi: usdcPaymasterAbi, functionName, args } as never);
  const refusalOf = (from: Address, functionName: string, args: readonly unknown[] = []) =>
    revertOf(chain, { from, to: paymaster, data: call(functionName, args) });

  it.each<[string, readonly unknown[]]>([
    ['setMarkup', [1]],
    ['applyMarkup', []],
    ['setOperationCeiling', [1n]],
    ['setPauser', [operator.address]],
    ['withdrawTokens', [operator.address, operator.address, 1n]],
    ['withdrawDeposit', [operator.address, 1n]],
    ['addStake', [1]],
    ['unlockStake', []],
    ['withdrawStake', [operator.address]],
    ['transferOwnership', [operator.address]],
  ])('error: OwnableUnauthorizedAccount for %s, to the pauser too', async (functionName, args) => {
    await owned(chain, 'setPauser', [agent.address]);
    const refusal = await refusalOf(agent.address, functionName, args);
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

    await owned(chain, 'withdrawDeposit', [to, 5n]);
    await owned(chain, 'unlockStake');
    await chain.node.increaseTime({ seconds: 86_401 });
    await owned(chain, 'withdrawStake', [to]);
    expect(await chain.client.getBalance({ address: to })).toBe(parseEther('1') + 5n);
  });

  it('attack: the owner withdraws tokens within a bundle: refused, since refunds are in the balance', async () => {
    await chain.setUsdc(paymaster, 1_000_000n);
    // The owner is an account itself: its operation runs between the validation and the refund of the other.
    await owned(chain, 'transferOwnership', [agent.address]);
    await chain.write(paymaster, usdcPaymasterAbi, 'acceptOwnership', [], agent);
    const withdraw = singleCall(paymaster, call('withdrawTokens', [chain.usdc, agent.address, 1n]));
    const other = await configuredAgent(chain);
    const { receipt, outcomes } = await bundle(chain, operator, [
      await signedOp(chain, agent, withdraw),
      await poke(chain, other),
    ]);
    expect(outcomes).toMatchObject([{ success: false }, { success: true }]);
    const [failed] = parseEventLogs({
      abi: entryPointV08Abi,
      logs: receipt.logs,
      eventName: 'UserOperationRevertReason',
    });
    expect(decodeRevert(failed!.args.revertReason)).toEqual(['PaymasterOperationsUnderWay']);
    await chain.write(paymaster, usdcPaymasterAbi, 'withdrawTokens', [chain.usdc, agent.address, 1n], agent);
  });

  it('default: the deployment pays the stake, for a day, and the owner raises it', async () => {
    const info = () => chain.read(entryPoint, entryPointV08Abi, 'getDepositInfo', [paymaster]);
    expect(await info()).toMatchObject({ staked: true, stake: parseEther('1'), unstakeDelaySec: 86_400 });
    await owned(chain, 'addStake', [86_401], 5n);
    expect(await info()).toMatchObject({ stake: parseEther('1') + 5n, unstakeDelaySec: 86_401 });
  });

  it('behavior: holds the token and entry point of its chain, and the constants of the library', async () => {
    const names = ['usdc', 'entryPoint', 'POST_OP_GAS', 'highestCeiling'] as const;
    const read = names.map((name) => chain.read(paymaster, usdcPaymasterAbi, name));
    const { highestCeiling } = chainFacts(chain.chainId).paymaster;
    expect(await Promise.all(read)).toEqual([chain.usdc, entryPoint, paymasterPostOpGas, highestCeiling]);
    const refreshThreshold = await chain.read(paymaster, usdcPaymasterAbi, 'REFRESH_THRESHOLD');
    expect(refreshThreshold).toBeLessThan(paymasterRefreshGas);
  });

  describe('markup', () => {
    const markup = async () => (await termsOf(chain)).markupBps;
    const events = async (functionName: string, args: readonly unknown[] = []) => {
      const { logs } = await owned(chain, functionName, args);
      return parseEventLogs({ abi: usdcPaymasterAbi, logs }).map(({ eventName, args }) => [eventName, args]);
    };
    const notReady = (readyAt: bigint) => ['PaymasterMarkupNotReady', readyAt];
    const apply = () => refusalOf(operator.address, 'applyMarkup');

    it('default: a raise waits for a day', async () => {
      const before = await termsOf(chain);
      const announced = await events('setMarkup', [2_000]);
      const readyAt = (await now(chain)) + 86_400n;
      expect(announced).toEqual([['MarkupAnnounced', { markupBps: 2_000, readyAt: Number(readyAt) }]]);
      expect([await termsOf(chain), await apply()]).toEqual([before, notReady(readyAt)]);
      await mineAt(chain, readyAt - 1n);
      await chain.node.setNextBlockTimestamp({ timestamp: readyAt });
      expect(await events('applyMarkup')).toEqual([['MarkupChanged', { markupBps: 2_000 }]]);
      expect(await termsOf(chain)).toEqual({ ...before, markupBps: 2_000 });
      // Once.
      expect(await apply()).toEqual(notReady(0n));
    });

    it.each([500, 499, 0])('behavior: %i applies at once, and cancels an announced raise', async (lower) => {
      await owned(chain, 'setMarkup', [501]);
      expect(await events('setMarkup', [lower])).toEqual([['MarkupChanged', { markupBps: lower }]]);
      await chain.node.increaseTime({ seconds: 86_400 });
      await chain.node.mine({ blocks: 1 });
      expect([await markup(), await apply()]).toEqual([lower, notReady(0n)]);
    });

    it('behavior: another raise waits for a day of its own', async () => {
      await owned(chain, 'setMarkup', [501]);
      await chain.node.increaseTime({ seconds: 86_400 });
      await owned(chain, 'setMarkup', [2_000]);
      expect(await apply()).toEqual(notReady((await now(chain)) + 86_400n));
    });

    it('error: PaymasterMarkupTooHigh', async () => {
      expect(await refusalOf(operator.address, 'setMarkup', [2_001])).toEqual([
        'PaymasterMarkupTooHigh',
        2_001n,
      ]);
    });
  });

  describe('ceiling', () => {
    it('default: at once, up to the highest, and nothing else of the terms', async () => {
      const before = await termsOf(chain);
      for (const operationCeiling of [50_000_000n, 1n]) {
        const { logs } = await owned(chain, 'setOperationCeiling', [operationCeiling]);
        const events = parseEventLogs({ abi: usdcPaymasterAbi, logs });
        expect(events).toMatchObject([
          { eventName: 'OperationCeilingChanged', args: { ceiling: operationCeiling } },
        ]);
        expect(await termsOf(chain)).toEqual({ ...before, operationCeiling });
      }
    });

    it('error: PaymasterCeilingTooHigh', async () => {
      const refusal = await refusalOf(operator.address, 'setOperationCeiling', [50_000_001n]);
      expect(refusal).toEqual(['PaymasterCeilingTooHigh', 50_000_001n]);
    });

    it.each(['owner', 'pauser'])('behavior: the %s pauses, and only the owner lets go on', async (by) => {
      const { logs } = await owned(chain, 'setPauser', [agent.address]);
      expect(parseEventLogs({ abi: usdcPaymasterAbi, logs })).toMatchObject([
        { eventName: 'PauserChanged', args: { pauser: agent.address } },
      ]);
      const userOp = await poke(chain, agent);
      await chain.write(paymaster, usdcPaymasterAbi, 'pause', [], by === 'owner' ? operator : agent);
      expect((await handleOpsRevert(chain, userOp))[1]).toBe('PaymasterCostAboveCeiling');
      await owned(chain, 'setOperationCeiling', [10_000_000n]);
      expect((await handleOps(chain, userOp)).outcome.success).toBe(true);
    });

    it('error: PaymasterPauserUnauthorized', async () => {
      const refusal = await refusalOf(agent.address, 'pause');
      expect(refusal).toEqual(['PaymasterPauserUnauthorized', agent.address]);
    });
  });

  it('error: settings beyond the limits are refused at deployment', async () => {
    const settings = settingsOf(chain);
    const deploy = (changes: Partial<typeof settings>) => {
      const args = [localContracts.account, { ...settings, ...changes }] as const;
      const data = encodeDeployData({ abi: usdcPaymasterAbi, bytecode: usdcPaymasterBytecode, args });
      return revertOf(chain, { data });
    };
    expect(await deploy({ markupBps: 2_001 })).toEqual(['PaymasterMarkupTooHigh', 2_001n]);
    expect(await deploy({ operationCeiling: settings.highestCeiling + 1n })).toEqual([
      'PaymasterCeilingTooHigh',
      settings.highestCeiling + 1n,
    ]);
    expect(await deploy({ owner: zeroAddress })).toEqual(['OwnableInvalidOwner', zeroAddress]);
  });
});
