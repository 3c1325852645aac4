import { findChainFacts } from '@yield-vault/contracts';
import { sameHex } from '@yield-vault/protocol';
import type { Address } from 'viem';
import { z } from 'zod';
import { gasSettings, resolveGas, type PaymasterConfig } from './gas-schema.js';
import type { Immutable } from './immutable.js';
import { address, addresses, positiveInteger, splitAtCommas, url, wholeNumber } from './scalars.js';

const urls = z.array(z.string()).transform(splitAtCommas).pipe(z.array(url));

const otherConfirmations = 2;

/** Facts about a chain that forks need. */
const forkFacts = z
  .strictObject({
    /** Accounts that the bundler sends from. A new persistent fork gives them ETH. */
    bundlerAccounts: addresses.default([]),
    /** Storage slot of the USDC balances; estimates of prepare use it too, 9 when left out. */
    usdcBalanceSlot: wholeNumber.optional(),
    usdcMasterMinter: address.optional(),
  })
  .prefault({});

/** One entry of `chains`. The facts of the chain have the defaults. */
export const chainSchema = z
  .strictObject({
    chainId: positiveInteger,
    name: z.string().min(1).optional(),
    /** Where the wallets of this chain act. */
    relayMode: z.enum(['chain', 'managed-fork']).default('chain'),
    /** In order of preference. A later one is used while an earlier one fails. */
    rpcUrls: urls.refine((list) => list.length > 0, 'must have at least one URL'),
    /** A node whose newest block is older counts as down; no limit when left out. */
    maxHeadAgeSeconds: positiveInteger.optional(),
    /**
     * In order of preference. A later one gets an operation only if it did not reach an earlier one. Without any, nothing
     * can be prepared or executed on the chain.
     */
    bundlerUrls: urls.default([]),
    explorerUrl: url.optional(),
    ...gasSettings,
    usdc: address.optional(),
    /** First block that can hold an event of a wallet; 0 when left out. */
    logsFromBlock: wholeNumber.optional(),
    /** Reads of old logs in the background, for all wallets together. */
    logReads: z
      .strictObject({
        /** Blocks of one query at most. Smaller ranges are learnt from refusals. */
        blocks: positiveInteger.optional(),
        requestsPerSecond: positiveInteger.optional(),
        /** Ranges that are read at the same time. */
        concurrency: positiveInteger.optional(),
      })
      .optional(),
    /**
     * Blocks on top of the block of a result before the result is final. Without it, what the facts of the chain say, and 0
     * on a managed fork, which never reorganises.
     */
    confirmations: wholeNumber.optional(),
    fork: forkFacts,
    /** Longest time for one call, including failover and retries. Each of several bundlers gets an equal part. */
    deadlines: z
      .strictObject({ rpcMs: positiveInteger.default(5_000), bundlerMs: positiveInteger.default(10_000) })
      .prefault({}),
  })
  .transform((chain, context) => {
    const refuse = (path: readonly string[], message: string) =>
      context.addIssue({ code: 'custom', path: [...path], message });
    const facts = findChainFacts(chain.chainId);
    const { usdc = facts?.usdc.address, name = facts?.name, explorerUrl = facts?.explorerUrl } = chain;
    for (const [setting, value] of Object.entries({ usdc, name, explorerUrl }))
      if (value === undefined) refuse([setting], `is required: chain id ${chain.chainId} is unknown`);
    const gas = resolveGas(chain, refuse);
    if (usdc && gas && !paysInUsdc(gas.paymaster, usdc)) {
      refuse(['paymaster', 'context', 'token'], `must be ${usdc}: wallets pay in USDC only`);
    }
    const confirmations =
      chain.confirmations ??
      (chain.relayMode === 'managed-fork' ? 0 : (facts?.confirmations ?? otherConfirmations));
    return usdc && name && explorerUrl && gas
      ? {
          ...chain,
          ...gas,
          usdc,
          name,
          explorerUrl,
          confirmations,
          fork: { ...chain.fork, opStack: facts?.l1FeeOracle !== undefined },
        }
      : z.NEVER;
  });

/** The settings of one chain. */
export type ChainConfig = Immutable<Omit<z.output<typeof chainSchema>, 'paymaster'>> & {
  readonly paymaster: PaymasterConfig;
};

function paysInUsdc(paymaster: PaymasterConfig, usdc: Address): boolean {
  const token = paymaster.kind === 'erc7677' ? paymaster.context['token'] : undefined;
  return token === undefined || (typeof token === 'string' && sameHex(token, usdc));
}
