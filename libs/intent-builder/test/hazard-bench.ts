import { createExecutionRelay, createMemoryIntentStore } from '@yield-vault/execution-relay';
import {
  ServiceError,
  type Execution,
  type ListedVault,
  type Operation,
  type PrepareRequest,
} from '@yield-vault/protocol';
import { signIntent, testKey } from '@yield-vault/testing';
import { erc20Abi, isAddressEqual, type Address } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createIntentBuilder, type IntentBuilderOptions } from '../src/index.js';
import { buildCatalogue } from './build-catalogue.js';
import { sendSetup, type LocalDeployment } from './local-deployment.js';

/** What a wallet asks for; the vaults besides are the ones that it may be moved into. */
export interface Order {
  readonly operation: Operation;
  readonly vault: ListedVault;
  readonly others?: readonly ListedVault[];
  readonly request?: Partial<PrepareRequest>;
  /** Other settings of the deployment. */
  readonly options?: Partial<IntentBuilderOptions>;
}

/** What came of an executed order. Amounts are base units. */
export interface Outcome {
  readonly quotedOut: bigint;
  readonly minOut: bigint;
  /** What the wallet has more of: shares of a deposit or rebalance, assets of a redeem. */
  readonly received: bigint;
  /** What the wallet has less of: assets of a deposit, shares of a redeem or rebalance. */
  readonly given: bigint;
  /** Assets that a rebalance left in the wallet. */
  readonly assetsLeft: bigint;
  /** Shares of the vault of the order. */
  readonly sharesLeft: bigint;
  readonly gasPaid: bigint;
  readonly maxGas: bigint;
  /** What the vaults may still take from the wallet. */
  readonly allowances: bigint;
}

/** A configured wallet, with the real builder and the real relay, which simulates nothing. */
export interface HazardBench {
  readonly wallet: Address;
  prepare(order: Order): Promise<Execution>;
  /** Sign what was prepared and have it executed. */
  execute(order: Order, execution: Execution): Promise<Outcome>;
}

/** Set a wallet up that orders what is dangerous. */
export async function startHazardBench(
  local: LocalDeployment,
  options: IntentBuilderOptions,
  plain: ListedVault,
): Promise<HazardBench> {
  const key = testKey('intent-builder hazards');
  const wallet = privateKeyToAccount(key).address;
  const { chain, chains } = local;

  const known = new Map<string, ListedVault>();
  const relay = createExecutionRelay({
    chains,
    store: createMemoryIntentStore(),
    vaults: { byAddress: (_, address) => known.get(address) },
    options: { waitSeconds: 20 },
  });
  const ask = ({ operation, vault, others = [], request, options: overrides }: Order) => {
    const vaults = buildCatalogue([...others, vault]);
    return createIntentBuilder({ chains, vaults, options: { ...options, ...overrides } }).prepare({
      operation,
      chain: 'base',
      agentAddress: wallet,
      vaultId: vault.vaultId,
      ...(operation === 'deposit' ? { asset: vault.asset.symbol } : {}),
      ...request,
    });
  };
  const prepare = async (order: Order): Promise<Execution> => {
    const response = await ask(order);
    if (response.needsSetup) throw new Error('the wallet needs a setup');
    return response.execution;
  };

  const balance = (token: Address, owner = wallet) =>
    chain.rpc.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
  const allowance = ({ vaultAddress, asset }: ListedVault) =>
    chain.rpc.readContract({
      address: asset.address,
      abi: erc20Abi,
      functionName: 'allowance',
      args: [wallet, vaultAddress],
    });
  const holdings = async (source: ListedVault, target: ListedVault) => {
    const [assets, shares, targetShares, gas] = await Promise.all([
      balance(source.asset.address),
      balance(source.vaultAddress),
      balance(target.vaultAddress),
      balance(chain.usdc, chain.contracts.paymaster),
    ]);
    return { assets, shares, targetShares, gas };
  };

  await local.fund(wallet, 1_000_000_000_000n);
  const first = await ask({ operation: 'deposit', vault: plain, request: { amount: '1' } });
  if (!first.needsSetup) throw new Error('the wallet is set up already');
  await sendSetup(chain, first, key);

  return {
    wallet,
    prepare,
    async execute({ operation, vault, others = [] }, { intentEnvelope, slippage, gasQuote }) {
      const target = (operation === 'rebalance' && others[0]) || vault;
      for (const each of [vault, target]) known.set(each.vaultAddress, each);
      const before = await holdings(vault, target);
      const intentSignature = await signIntent(intentEnvelope.signing, key);
      await relay.execute({ intentEnvelope, intentSignature });
      const after = await holdings(vault, target);

      const gasPaid = after.gas - before.gas;
      const isGasToken = isAddressEqual(vault.asset.address, chain.usdc);
      const assets = after.assets - before.assets + (isGasToken ? gasPaid : 0n);
      const shares = after.shares - before.shares;
      const [received, given] = {
        deposit: [shares, -assets],
        redeem: [assets, -shares],
        rebalance: [after.targetShares - before.targetShares, -shares],
      }[operation] as [bigint, bigint];
      return {
        quotedOut: BigInt(slippage.quotedOut),
        minOut: BigInt(slippage.minOut),
        received,
        given,
        sharesLeft: after.shares,
        assetsLeft: operation === 'rebalance' ? assets : 0n,
        gasPaid,
        maxGas: BigInt(gasQuote.maxAmount),
        allowances: (await allowance(vault)) + (await allowance(target)),
      };
    },
  };
}

/** Name a refusal in one line: its code, and the hazard or the reason of the revert. */
export function refusalOf(error: unknown): string {
  if (!(error instanceof ServiceError)) throw error;
  const { hazard, revertReason } = (error.details ?? {}) as { hazard?: string; revertReason?: string };
  const reason = hazard ?? /^[^(]+/.exec(revertReason ?? '')?.[0] ?? '';
  return `${error.code} ${reason}`.trim();
}
