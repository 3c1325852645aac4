import {
  type Address,
  type PrivateKeyAccount,
  type SignedAuthorization,
  erc20Abi,
  parseEventLogs,
} from 'viem';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { usdcPaymasterAbi } from '../../src/generated/UsdcPaymaster.js';
import { type PackedUserOperation, balanceOf } from './account.js';
import { encode } from './calls.js';
import { type TestChain, entryPoint, operator } from './chain.js';
import { handleOpsRevert } from './reverts.js';

type Receipt = Awaited<ReturnType<TestChain['mined']>>;

/** What became of each operation, in the order of their execution. */
export function outcomesOf({ logs }: Pick<Receipt, 'logs'>) {
  const ended = parseEventLogs({ abi: entryPointV08Abi, logs, eventName: 'UserOperationEvent' });
  const sponsored = parseEventLogs({ abi: usdcPaymasterAbi, logs, eventName: 'UserOperationSponsored' });
  return ended.map(({ args: { userOpHash, sender, success, actualGasCost, actualGasUsed } }) => {
    const charge = sponsored.find(({ args }) => args.userOpHash === userOpHash)?.args;
    return {
      sender,
      success,
      gasUsed: actualGasUsed,
      /** Wei that the entry point took from the paymaster. */
      billed: actualGasCost,
      /** Base units of USDC that the paymaster kept; absent when `postOp` failed. */
      charged: charge?.tokenAmount,
      rate: charge?.tokenPerNative,
    };
  });
}

/** Base units that the first transfer of a transaction moved: the prefund. */
export const prefundIn = ({ logs }: Pick<Receipt, 'logs'>): bigint | undefined =>
  parseEventLogs({ abi: erc20Abi, logs, eventName: 'Transfer' })[0]?.args.value;

/** Call data of `handleOps` whose fees go to `beneficiary`. */
export const handleOpsCall = (beneficiary: Address, ...userOps: readonly PackedUserOperation[]) =>
  encode(entryPointV08Abi, 'handleOps', [userOps, beneficiary]);

interface BundleOptions {
  readonly gas?: bigint;
  readonly authorizationList?: readonly SignedAuthorization[];
  readonly beneficiary?: Address;
}

/** Send a bundle as somebody who keeps its fees; it may revert. */
export async function bundle(
  chain: TestChain,
  by: PrivateKeyAccount,
  userOps: readonly PackedUserOperation[],
  { gas = 8_000_000n, authorizationList = [], beneficiary = by.address }: BundleOptions = {},
) {
  const receipt = await chain.mined(
    chain.walletOf(by).sendTransaction({
      to: entryPoint,
      data: handleOpsCall(beneficiary, ...userOps),
      gas,
      ...(authorizationList.length > 0 && { authorizationList }),
      maxFeePerGas: 3_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    }),
  );
  return { receipt, outcomes: outcomesOf(receipt) };
}

/** Send one operation as a bundler does. It must be accepted. */
export async function handleOps(chain: TestChain, userOp: PackedUserOperation) {
  const beneficiary = '0x000000000000000000000000000000000000bEEF';
  const { receipt, outcomes } = await bundle(chain, operator, [userOp], { beneficiary });
  const [outcome] = outcomes;
  if (!outcome) throw new Error(`handleOps reverted: ${String(await handleOpsRevert(chain, userOp))}`);
  return { receipt, outcome };
}

/** Nonce of the next operation of a wallet. */
export const operationNonce = (chain: TestChain, { sender, nonce }: PackedUserOperation) =>
  chain.read(entryPoint, entryPointV08Abi, 'getNonce', [sender, nonce >> 64n]);

interface Holdings {
  readonly usdc: bigint;
  readonly wei: bigint;
  /** Wei at the entry point. */
  readonly deposit: bigint;
}

/** The gains of somebody who neither gained nor lost. */
export const nothing: Holdings = { usdc: 0n, wei: 0n, deposit: 0n };

/** Watch what parties hold. @returns tells what each gained since, losses below zero */
export async function watch<Name extends string>(chain: TestChain, parties: Readonly<Record<Name, Address>>) {
  const names = Object.keys(parties) as Name[];
  const read = async (name: Name): Promise<Holdings> => ({
    usdc: await balanceOf(chain, chain.usdc, parties[name]),
    wei: await chain.client.getBalance({ address: parties[name] }),
    deposit: await chain.read(entryPoint, entryPointV08Abi, 'balanceOf', [parties[name]]),
  });
  const before = await Promise.all(names.map(read));
  return async (): Promise<Readonly<Record<Name, Holdings>>> => {
    const after = await Promise.all(names.map(read));
    const gains = names.map((name, index) => {
      const [then, now] = [before[index]!, after[index]!];
      return [
        name,
        { usdc: now.usdc - then.usdc, wei: now.wei - then.wei, deposit: now.deposit - then.deposit },
      ];
    });
    return Object.fromEntries(gains) as Record<Name, Holdings>;
  };
}

/** Expect that a bundle is refused for this reason, costs its senders and the paymaster nothing, and uses no nonce. */
export async function expectRefused(
  chain: TestChain,
  by: PrivateKeyAccount,
  userOps: readonly PackedUserOperation[],
  reason: readonly unknown[],
  options: BundleOptions = {},
) {
  const parties = Object.fromEntries(userOps.map(({ sender }) => [sender, sender]));
  const nonces = () => Promise.all(userOps.map((userOp) => operationNonce(chain, userOp)));
  const gains = await watch(chain, { ...parties, paymaster: chain.paymaster });
  const before = await nonces();
  expect((await handleOpsRevert(chain, ...userOps)).slice(0, reason.length)).toEqual(reason);
  expect((await bundle(chain, by, userOps, options)).receipt.status).toBe('reverted');
  for (const gain of Object.values(await gains())) expect(gain).toEqual(nothing);
  expect(await nonces()).toEqual(before);
}

/** Run an operation that succeeds. Its sender loses the USDC that it spends and the charge, and no more. */
export async function expectRuns(
  chain: TestChain,
  by: PrivateKeyAccount,
  userOp: PackedUserOperation,
  spent: bigint,
  options: BundleOptions = {},
) {
  const gains = await watch(chain, { sender: userOp.sender });
  const { outcomes } = await bundle(chain, by, [userOp], options);
  const outcome = outcomes[0]!;
  expect(outcome).toMatchObject({ sender: userOp.sender, success: true });
  expect((await gains()).sender).toMatchObject({ usdc: -spent - outcome.charged!, deposit: 0n });
  return outcome;
}

/** Base units of USDC that wei cost at this rate, rounded up. */
export const usdcFor = (wei: bigint, rate: bigint): bigint => (wei * rate + 10n ** 18n - 1n) / 10n ** 18n;

/** Wei that a transaction cost its sender. */
export const feeOf = ({ gasUsed, effectiveGasPrice }: Receipt): bigint => gasUsed * effectiveGasPrice;
