import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  encodeFunctionData,
  erc20Abi,
  maxUint256,
  parseEther,
  parseEventLogs,
  zeroHash,
} from 'viem';
import { entryPointV08Abi } from '../src/generated/EntryPointV08.js';
import { localPriceFeedAbi } from './generated/LocalPriceFeed.js';
import { localUsdcAbi } from './generated/LocalUsdc.js';
import { usdcPaymasterAbi } from '../src/generated/UsdcPaymaster.js';
import { paymasterCharge, paymasterPostOpGas } from '../src/paymaster-cost.js';
import {
  type PackedUserOperation,
  approvePaymasterHook,
  buildUserOp,
  configuredAgent,
  executorCall,
  handleOps,
  max,
  signUserOp,
  singleCall,
  usdcPaymasterAndData,
} from './support/account.js';
import {
  type TestChain,
  entryPoint,
  ethUsd,
  operator,
  startTestChain,
  localContracts,
} from './support/chain.js';
import { handleOpsRevert, revertOf } from './support/reverts.js';
import { encode } from './support/calls.js';

// The limits that buildUserOp sets, and its fee cap.
const totalGas = 150_000n + 300_000n + 60_000n + 120_000n + 40_000n;
const maxFeePerGas = 3_000_000_000n;

describe('UsdcPaymaster', () => {
  let chain: TestChain;
  let agent: PrivateKeyAccount;
  beforeAll(async () => {
    chain = await startTestChain();
  });
  afterAll(() => chain.stop());
  let snapshot: Hex;
  beforeEach(async () => {
    snapshot = await chain.node.snapshot();
    agent = await configuredAgent(chain);
  });
  afterEach(() => chain.node.revert({ id: snapshot }));

  const owned = (functionName: string, args: readonly unknown[] = [], value = 0n) =>
    chain.mined(
      chain.wallet.writeContract({
        address: localContracts.paymaster,
        abi: usdcPaymasterAbi as readonly unknown[],
        functionName,
        args,
        value,
      } as never),
    );
  const setRound = (answer: bigint, updatedAt: bigint) =>
    chain.write(chain.feed, localPriceFeedAbi, 'setRound', [answer, updatedAt]);
  const usdcOf = (owner: Address) => chain.read(chain.usdc, erc20Abi, 'balanceOf', [owner]);
  const rate = () => chain.read(localContracts.paymaster, usdcPaymasterAbi, 'tokenPerNative');
  const now = async () => (await chain.client.getBlock()).timestamp;
  const poke = async (overrides: Partial<PackedUserOperation> = {}) =>
    signUserOp(
      chain,
      agent,
      await buildUserOp(chain, agent.address, singleCall(operator.address, '0x', 1n), overrides),
    );
  const validate = async (userOp: PackedUserOperation, maxCost = 0n) => {
    const { result } = await chain.client.simulateContract({
      address: localContracts.paymaster,
      abi: usdcPaymasterAbi,
      functionName: 'validatePaymasterUserOp',
      args: [userOp, zeroHash, maxCost],
      account: entryPoint,
    });
    return result;
  };

  describe('charging', () => {
    it('default: pulls the prefund, returns the unused part, and never loses money', async () => {
      const [before, paymasterBefore] = [await usdcOf(agent.address), await usdcOf(localContracts.paymaster)];
      const depositBefore = await chain.read(entryPoint, entryPointV08Abi, 'balanceOf', [
        localContracts.paymaster,
      ]);
      const { outcome, receipt } = await handleOps(chain, await poke());
      const depositAfter = await chain.read(entryPoint, entryPointV08Abi, 'balanceOf', [
        localContracts.paymaster,
      ]);
      const paid = before - (await usdcOf(agent.address));
      expect(paid).toBe((await usdcOf(localContracts.paymaster)) - paymasterBefore);

      const [sponsored] = parseEventLogs({
        abi: usdcPaymasterAbi,
        logs: receipt.logs,
        eventName: 'UserOperationSponsored',
      });
      expect(sponsored?.args).toMatchObject({ token: chain.usdc, tokenAmount: paid });
      expect(outcome).toMatchObject({ success: true, paymaster: localContracts.paymaster });
      // Income at the plain price, without the markup, covers what the entry point took.
      const spent = depositBefore - depositAfter;
      const cost = (spent * ethUsd) / 10n ** 20n;
      expect(paid).toBeGreaterThanOrEqual(cost);
      expect(paid).toBeLessThan(cost * 2n);
    });

    it('behavior: without markup the charge for postOp alone covers its cost', async () => {
      await owned('setMarkup', [0]);
      await handleOps(chain, await poke());
      const before = await usdcOf(agent.address);
      const { events } = await handleOps(chain, await poke());
      const paid = before - (await usdcOf(agent.address));
      const event = events.find((candidate) => candidate.eventName === 'UserOperationEvent');
      const billed = (event?.args as { actualGasCost: bigint }).actualGasCost;
      expect(paid).toBeGreaterThan((billed * ethUsd) / 10n ** 20n);
    });

    it('behavior: prefund equals quote and paymasterCharge', async () => {
      const [tokenPerNative] = await rate();
      for (const postOpGasLimit of [40_000n, 40_001n, 500_000n]) {
        const gas = totalGas - 40_000n + postOpGasLimit;
        const expected = paymasterCharge({ tokenPerNative, gas, feePerGas: maxFeePerGas, postOpGasLimit });
        const [quoted] = await chain.read(localContracts.paymaster, usdcPaymasterAbi, 'quote', [
          gas * maxFeePerGas,
          maxFeePerGas,
          postOpGasLimit,
        ]);
        expect(quoted).toBe(expected);

        const userOp = await poke({ paymasterAndData: usdcPaymasterAndData(120_000n, postOpGasLimit) });
        const { receipt } = await handleOps(chain, userOp);
        const [pulled] = parseEventLogs({ abi: erc20Abi, logs: receipt.logs, eventName: 'Transfer' });
        expect(pulled?.args).toMatchObject({
          from: agent.address,
          to: localContracts.paymaster,
          value: expected,
        });
      }
    });

    it('behavior: the constants of the library are those on chain', async () => {
      const postOpGas = await chain.read(localContracts.paymaster, usdcPaymasterAbi, 'POST_OP_GAS');
      expect(postOpGas).toBe(paymasterPostOpGas);
    });

    it('behavior: charges a reverted operation too', async () => {
      const before = await usdcOf(agent.address);
      const callData = executorCall(approvePaymasterHook(max));
      const { outcome } = await handleOps(
        chain,
        await signUserOp(chain, agent, await buildUserOp(chain, agent.address, callData)),
      );
      expect(outcome).toMatchObject({ success: false });
      expect(await usdcOf(agent.address)).toBeLessThan(before);
    });

    it('attack: an operation that empties the account and the allowance still pays', async () => {
      const before = await usdcOf(localContracts.paymaster);
      const transfer = encode(erc20Abi, 'transfer', [operator.address, 950_000_000n]);
      const userOp = await buildUserOp(chain, agent.address, singleCall(chain.usdc, transfer));
      await handleOps(chain, await signUserOp(chain, agent, userOp));
      expect(await usdcOf(localContracts.paymaster)).toBeGreaterThan(before);
    });

    it('error: AA34 without the balance or the allowance', async () => {
      await chain.setUsdc(agent.address, 1n);
      expect(await handleOpsRevert(chain, await poke())).toEqual(['AA34 signature error']);
      await chain.setUsdc(agent.address, 1_000_000_000n);
      await chain.write(chain.usdc, erc20Abi, 'approve', [localContracts.paymaster, 1n], agent);
      expect(await handleOpsRevert(chain, await poke())).toEqual(['AA34 signature error']);
    });

    it('error: AA31 without a deposit', async () => {
      await owned('withdrawDeposit', [operator.address, parseEther('100')]);
      expect(await handleOpsRevert(chain, await poke())).toEqual(['AA31 paymaster deposit too low']);
    });

    it('error: PaymasterCostAboveCeiling', async () => {
      const [tokenPerNative] = await rate();
      const cost = paymasterCharge({
        tokenPerNative,
        gas: totalGas,
        feePerGas: maxFeePerGas,
        postOpGasLimit: 0n,
      });
      await owned('setOperationCeiling', [cost - 1n]);
      expect(await handleOpsRevert(chain, await poke())).toEqual([
        'AA33 reverted',
        'PaymasterCostAboveCeiling',
        cost,
        cost - 1n,
      ]);
      await owned('setOperationCeiling', [cost]);
      expect((await handleOps(chain, await poke())).receipt.status).toBe('success');
    });

    it('error: a cost that does not fit saturates and is above every ceiling', async () => {
      const userOp = await poke();
      await owned('setOperationCeiling', [2n ** 64n - 1n]);
      await expect(validate(userOp, maxUint256)).rejects.toMatchObject({
        cause: { data: { errorName: 'PaymasterCostAboveCeiling' } },
      });
    });
  });

  describe('price', () => {
    it('behavior: the rate is the price with the markup, rounded up', async () => {
      expect((await rate())[0]).toBe(2_625_000_000n);
      await owned('setMarkup', [0]);
      expect((await rate())[0]).toBe(2_500_000_000n);
      await setRound(ethUsd + 1n, await now());
      expect((await rate())[0]).toBe(2_500_000_001n);
    });

    it.each([
      ['below', 100n * 10n ** 8n - 1n],
      ['above', 100_000n * 10n ** 8n + 1n],
      ['zero', 0n],
      ['negative', -1n],
    ])('error: PaymasterPriceOutOfBounds %s', async (_, response) => {
      await setRound(response, await now());
      expect(await handleOpsRevert(chain, await poke())).toEqual([
        'AA33 reverted',
        'PaymasterPriceOutOfBounds',
        response,
      ]);
    });

    it.each([100n * 10n ** 8n, 100_000n * 10n ** 8n])(
      'behavior: the bound %d itself is accepted',
      async (response) => {
        await setRound(response, await now());
        expect((await rate())[0]).toBe((response * 105n) / 10_000n);
      },
    );

    it('attack: a round without a time never means for ever', async () => {
      await setRound(ethUsd, 2n ** 40n);
      expect(await handleOpsRevert(chain, await poke())).toEqual([
        'AA33 reverted',
        'PaymasterPriceIncomplete',
      ]);
      // The local feed's own setter reads a time of zero as "now".
      await chain.node.setCode({ address: chain.feed, bytecode: constantRound(ethUsd, 0n) });
      expect(await handleOpsRevert(chain, await poke())).toEqual([
        'AA33 reverted',
        'PaymasterPriceIncomplete',
      ]);
    });

    it('behavior: valid until the heartbeat after the update, and refused by the entry point later', async () => {
      const time = await now();
      await setRound(ethUsd, time - 3_000n);
      const [, validationData] = await validate(await poke());
      expect(validationData).toBe((time + 600n) << 160n);
      expect((await rate())[1]).toBe(Number(time + 600n));
      expect((await handleOps(chain, await poke())).receipt.status).toBe('success');

      await setRound(ethUsd, time - 4_000n);
      expect(await handleOpsRevert(chain, await poke())).toEqual(['AA32 paymaster expired or not due']);
    });

    it('behavior: validation does not read the clock', async () => {
      const time = await now();
      await setRound(ethUsd, time);
      const before = await validate(await poke());
      await chain.node.increaseTime({ seconds: 100_000 });
      await chain.node.mine({ blocks: 1 });
      expect(await validate(await poke())).toEqual([expect.any(String), before[1]]);
    });
  });

  describe('access', () => {
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
      ['renounceOwnership', []],
    ];

    it.each(gated)('error: OwnableUnauthorizedAccount for %s', async (functionName, args) => {
      const data = encodeFunctionData({ abi: usdcPaymasterAbi, functionName, args } as never);
      expect(await revertOf(chain, { from: agent.address, to: localContracts.paymaster, data })).toEqual([
        'OwnableUnauthorizedAccount',
        agent.address,
      ]);
    });

    it('error: PaymasterUnauthorized for validation and postOp from anybody but the entry point', async () => {
      const calls = [
        encode(usdcPaymasterAbi, 'validatePaymasterUserOp', [await poke(), zeroHash, 1n]),
        encode(usdcPaymasterAbi, 'postOp', [0, '0x', 1n, 1n]),
      ];
      for (const data of calls) {
        expect(await revertOf(chain, { to: localContracts.paymaster, data })).toEqual([
          'PaymasterUnauthorized',
          operator.address,
        ]);
      }
    });

    it('error: PaymasterMarkupTooHigh', async () => {
      const data = encode(usdcPaymasterAbi, 'setMarkup', [2_001]);
      expect(await revertOf(chain, { to: localContracts.paymaster, data })).toEqual([
        'PaymasterMarkupTooHigh',
        2_001n,
      ]);
      expect((await owned('setMarkup', [2_000])).status).toBe('success');
    });

    it('behavior: ownership moves in two steps', async () => {
      await owned('transferOwnership', [agent.address]);
      const owner = () => chain.read(localContracts.paymaster, usdcPaymasterAbi, 'owner');
      expect(await owner()).toBe(operator.address);
      const accept = encode(usdcPaymasterAbi, 'acceptOwnership');
      expect(await revertOf(chain, { to: localContracts.paymaster, data: accept })).toEqual([
        'OwnableUnauthorizedAccount',
        operator.address,
      ]);
      await chain.mined(
        chain.walletOf(agent).sendTransaction({ to: localContracts.paymaster, data: accept }),
      );
      expect(await owner()).toBe(agent.address);
    });

    it('behavior: earned tokens, deposit and stake go out to the owner', async () => {
      await handleOps(chain, await poke());
      const earned = await usdcOf(localContracts.paymaster);
      const to = '0x00000000000000000000000000000000000000aa';
      await owned('withdrawTokens', [chain.usdc, to, 1n]);
      await owned('withdrawTokens', [chain.usdc, to, max]);
      expect([await usdcOf(to), await usdcOf(localContracts.paymaster)]).toEqual([earned, 0n]);

      await owned('deposit', [], 5n);
      await owned('withdrawDeposit', [to, 5n]);
      await owned('unlockStake');
      await chain.node.increaseTime({ seconds: 86_401 });
      await owned('withdrawStake', [to]);
      expect(await chain.client.getBalance({ address: to })).toBe(parseEther('1') + 5n);
    });

    it('behavior: holds the token, feed and entry point of its chain', async () => {
      const read = (functionName: 'usdc' | 'feed' | 'entryPoint' | 'heartbeat') =>
        chain.read(localContracts.paymaster, usdcPaymasterAbi, functionName);
      expect(await Promise.all([read('usdc'), read('feed'), read('entryPoint'), read('heartbeat')])).toEqual([
        chain.usdc,
        chain.feed,
        entryPoint,
        3_600,
      ]);
    });
  });

  it('error: PaymasterERC20FailedRefund charges the whole prefund (a sender blacklisted meanwhile)', async () => {
    // The sender's own call makes the token refuse it: here by blacklisting through a role it holds.
    await chain.node.setStorageAt({
      address: chain.usdc,
      index: 2,
      value: `0x${'00'.repeat(12)}${agent.address.slice(2)}`,
    });
    const callData = singleCall(chain.usdc, encode(localUsdcAbi, 'blacklist', [agent.address]));
    const { events, outcome, receipt } = await handleOps(
      chain,
      await signUserOp(chain, agent, await buildUserOp(chain, agent.address, callData)),
    );
    const [pulled] = parseEventLogs({ abi: erc20Abi, logs: receipt.logs, eventName: 'Transfer' });
    expect(await usdcOf(localContracts.paymaster)).toBeGreaterThanOrEqual(pulled?.args.value ?? max);
    expect(events.map(({ eventName }) => eventName)).toContain('PostOpRevertReason');
    expect(outcome).toMatchObject({ success: false });
  });
});

/** Runtime code that answers every call with a round of this price and time. */
function constantRound(response: bigint, updatedAt: bigint): Hex {
  const push = (value: bigint) => `7f${value.toString(16).padStart(64, '0')}`;
  const store = (value: bigint, place: number) => `${push(value)}60${place.toString(16).padStart(2, '0')}52`;
  return `0x${store(1n, 0)}${store(response, 32)}${store(updatedAt, 64)}${store(updatedAt, 96)}${store(1n, 128)}60a06000f3`;
}
