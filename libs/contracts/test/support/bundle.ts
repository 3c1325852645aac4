import { type Address, type PrivateKeyAccount, type SignedAuthorization, parseEventLogs } from 'viem';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { usdcPaymasterAbi } from '../../src/generated/UsdcPaymaster.js';
import type { PackedUserOperation } from './account.js';
import { encode } from './calls.js';
import { type TestChain, entryPoint } from './chain.js';
import { usdcOf } from './paymaster.js';

type Receipt = Awaited<ReturnType<TestChain['mined']>>;

/** What became of each operation, in the order of their execution. */
export function outcomesOf({ logs }: Pick<Receipt, 'logs'>) {
  const ended = parseEventLogs({ abi: entryPointV08Abi, logs, eventName: 'UserOperationEvent' });
  const sponsored = parseEventLogs({ abi: usdcPaymasterAbi, logs, eventName: 'UserOperationSponsored' });
  return ended.map(({ args: { userOpHash, sender, success, actualGasCost } }) => {
    const charge = sponsored.find(({ args }) => args.userOpHash === userOpHash)?.args;
    return {
      sender,
      success,
      /** Wei that the entry point took from the paymaster. */
      billed: actualGasCost,
      /** Base units of USDC that the paymaster kept; absent when `postOp` failed. */
      charged: charge?.tokenAmount,
      rate: charge?.tokenPerNative,
    };
  });
}

/** Call data of `handleOps` whose fees go to `beneficiary`. */
export const handleOpsCall = (beneficiary: Address, ...userOps: readonly PackedUserOperation[]) =>
  encode(entryPointV08Abi, 'handleOps', [userOps, beneficiary]);

/** Send a bundle as somebody who keeps its fees; it may revert. */
export async function bundle(
  chain: TestChain,
  by: PrivateKeyAccount,
  userOps: readonly PackedUserOperation[],
  gas = 8_000_000n,
  authorizationList: readonly SignedAuthorization[] = [],
) {
  const receipt = await chain.mined(
    chain.walletOf(by).sendTransaction({
      to: entryPoint,
      data: handleOpsCall(by.address, ...userOps),
      gas,
      ...(authorizationList.length > 0 && { authorizationList }),
      maxFeePerGas: 3_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    }),
  );
  return { receipt, outcomes: outcomesOf(receipt) };
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

/** Watch what parties hold. @returns tells what each gained since, losses below zero */
export async function watch<Name extends string>(chain: TestChain, parties: Readonly<Record<Name, Address>>) {
  const names = Object.keys(parties) as Name[];
  const read = async (name: Name): Promise<Holdings> => ({
    usdc: await usdcOf(chain, parties[name]),
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

/** Base units of USDC that wei cost at this rate, rounded up. */
export const usdcFor = (wei: bigint, rate: bigint): bigint => (wei * rate + 10n ** 18n - 1n) / 10n ** 18n;

/** Wei that a transaction cost its sender. */
export const feeOf = ({ gasUsed, effectiveGasPrice }: Receipt): bigint => gasUsed * effectiveGasPrice;
