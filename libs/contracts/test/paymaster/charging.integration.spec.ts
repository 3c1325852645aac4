import { type Hex, type PrivateKeyAccount, erc20Abi, parseEther, parseEventLogs, zeroHash } from 'viem';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { usdcPaymasterAbi } from '../../src/generated/UsdcPaymaster.js';
import { paymasterCharge } from '../../src/paymaster-cost.js';
import { localUsdcAbi } from '../generated/LocalUsdc.js';
import {
  approvePaymasterHook,
  buildUserOp,
  configuredAgent,
  executorCall,
  handleOps,
  max,
  signUserOp,
  singleCall,
  usdcPaymasterAndData,
} from '../support/account.js';
import {
  type TestChain,
  entryPoint,
  ethUsd,
  localContracts,
  operator,
  startTestChain,
} from '../support/chain.js';
import { owned, poke, usdcOf } from '../support/paymaster.js';
import { handleOpsRevert, revertOf } from '../support/reverts.js';
import { encode } from '../support/calls.js';

// The limits that buildUserOp sets, and its fee cap.
const totalGas = 150_000n + 300_000n + 60_000n + 120_000n + 40_000n;
const maxFeePerGas = 3_000_000_000n;
const { paymaster } = localContracts;

describe('UsdcPaymaster: charging', () => {
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

  const rate = () => chain.read(paymaster, usdcPaymasterAbi, 'tokenPerNative');

  it('default: pulls the prefund, returns the unused part, and never loses money', async () => {
    const [before, paymasterBefore] = [await usdcOf(chain, agent.address), await usdcOf(chain, paymaster)];
    const depositBefore = await chain.read(entryPoint, entryPointV08Abi, 'balanceOf', [paymaster]);
    const { outcome, receipt } = await handleOps(chain, await poke(chain, agent));
    const depositAfter = await chain.read(entryPoint, entryPointV08Abi, 'balanceOf', [paymaster]);
    const paid = before - (await usdcOf(chain, agent.address));
    expect(paid).toBe((await usdcOf(chain, paymaster)) - paymasterBefore);

    const [sponsored] = parseEventLogs({
      abi: usdcPaymasterAbi,
      logs: receipt.logs,
      eventName: 'UserOperationSponsored',
    });
    expect(sponsored?.args).toMatchObject({ token: chain.usdc, tokenAmount: paid });
    expect(outcome).toMatchObject({ success: true, paymaster: paymaster });
    // Income at the plain price, without the markup, covers what the entry point took.
    const spent = depositBefore - depositAfter;
    const cost = (spent * ethUsd) / 10n ** 20n;
    expect(paid).toBeGreaterThanOrEqual(cost);
    expect(paid).toBeLessThan(cost * 2n);
  });

  it('behavior: without markup the charge for postOp alone covers its cost', async () => {
    await owned(chain, 'setMarkup', [0]);
    await handleOps(chain, await poke(chain, agent));
    const before = await usdcOf(chain, agent.address);
    const { events } = await handleOps(chain, await poke(chain, agent));
    const paid = before - (await usdcOf(chain, agent.address));
    const event = events.find((candidate) => candidate.eventName === 'UserOperationEvent');
    const billed = (event?.args as { actualGasCost: bigint }).actualGasCost;
    expect(paid).toBeGreaterThan((billed * ethUsd) / 10n ** 20n);
  });

  it('behavior: the prefund is that of paymasterCharge', async () => {
    const [tokenPerNative] = await rate();
    for (const postOpGasLimit of [40_000n, 40_001n, 500_000n]) {
      const gas = totalGas - 40_000n + postOpGasLimit;
      const expected = paymasterCharge({ tokenPerNative, gas, feePerGas: maxFeePerGas, postOpGasLimit });
      const userOp = await poke(chain, agent, {
        paymasterAndData: usdcPaymasterAndData(120_000n, postOpGasLimit),
      });
      const { receipt } = await handleOps(chain, userOp);
      const [pulled] = parseEventLogs({ abi: erc20Abi, logs: receipt.logs, eventName: 'Transfer' });
      expect(pulled?.args).toMatchObject({
        from: agent.address,
        to: paymaster,
        value: expected,
      });
    }
  });

  it('behavior: charges a reverted operation too', async () => {
    const before = await usdcOf(chain, agent.address);
    const callData = executorCall(approvePaymasterHook(max));
    const { outcome } = await handleOps(
      chain,
      await signUserOp(chain, agent, await buildUserOp(chain, agent.address, callData)),
    );
    expect(outcome).toMatchObject({ success: false });
    expect(await usdcOf(chain, agent.address)).toBeLessThan(before);
  });

  it('attack: an operation that empties the account and the allowance still pays', async () => {
    const before = await usdcOf(chain, paymaster);
    const transfer = encode(erc20Abi, 'transfer', [operator.address, 950_000_000n]);
    const userOp = await buildUserOp(chain, agent.address, singleCall(chain.usdc, transfer));
    await handleOps(chain, await signUserOp(chain, agent, userOp));
    expect(await usdcOf(chain, paymaster)).toBeGreaterThan(before);
  });

  it('error: AA34 without the balance or the allowance', async () => {
    await chain.setUsdc(agent.address, 1n);
    expect(await handleOpsRevert(chain, await poke(chain, agent))).toEqual(['AA34 signature error']);
    await chain.setUsdc(agent.address, 1_000_000_000n);
    await chain.write(chain.usdc, erc20Abi, 'approve', [paymaster, 1n], agent);
    expect(await handleOpsRevert(chain, await poke(chain, agent))).toEqual(['AA34 signature error']);
  });

  it('error: AA31 without a deposit', async () => {
    await owned(chain, 'withdrawDeposit', [operator.address, parseEther('100')]);
    expect(await handleOpsRevert(chain, await poke(chain, agent))).toEqual([
      'AA31 paymaster deposit too low',
    ]);
  });

  it('error: PaymasterCostAboveCeiling', async () => {
    const [tokenPerNative] = await rate();
    const cost = paymasterCharge({
      tokenPerNative,
      gas: totalGas,
      feePerGas: maxFeePerGas,
      postOpGasLimit: 0n,
    });
    await owned(chain, 'setOperationCeiling', [cost - 1n]);
    expect(await handleOpsRevert(chain, await poke(chain, agent))).toEqual([
      'AA33 reverted',
      'PaymasterCostAboveCeiling',
      cost,
      cost - 1n,
    ]);
    await owned(chain, 'setOperationCeiling', [cost]);
    expect((await handleOps(chain, await poke(chain, agent))).receipt.status).toBe('success');
  });

  it('error: the largest cost there is exceeds every ceiling', async () => {
    await owned(chain, 'setOperationCeiling', [2n ** 64n - 1n]);
    const data = encode(usdcPaymasterAbi, 'validatePaymasterUserOp', [
      await poke(chain, agent),
      zeroHash,
      max,
    ]);
    expect(await revertOf(chain, { from: entryPoint, to: paymaster, data })).toMatchObject({
      0: 'PaymasterCostAboveCeiling',
      2: 2n ** 64n - 1n,
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
    expect(await usdcOf(chain, paymaster)).toBeGreaterThanOrEqual(pulled?.args.value ?? max);
    expect(events.map(({ eventName }) => eventName)).toContain('PostOpRevertReason');
    expect(outcome).toMatchObject({ success: false });
  });
});
