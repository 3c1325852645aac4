import { openTestDatabase } from '@yield-vault/database/testing';
import { createDatabaseIntentStore, createExecutionRelay } from '@yield-vault/execution-relay';
import {
  ServiceError,
  type Execution,
  type RankedVault,
  type Operation,
  type PrepareRequest,
} from '@yield-vault/protocol';
import { signIntent, testKey } from '@yield-vault/testing';
import { erc20Abi, isAddressEqual, type Address } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createIntentBuilder, type IntentBuilderOptions } from '../src/index.js';
import { buildCatalogue } from './build-catalogue.js';
import { sendSetup, type LocalDeployment } from './local-deployment.js';

/** A request of the wallet. A rebalance may choose from the other vaults. */
export interface TestCase {
  readonly operation: Operation;
  readonly vault: RankedVault;
  readonly others?: readonly RankedVault[];
  readonly request?: Partial<PrepareRequest>;
  /** Other settings of the deployment. */
  readonly options?: Partial<IntentBuilderOptions>;
}

/** The outcome of an executed case. Amounts are base units. */
export interface Outcome {
  readonly quotedOut: bigint;
  readonly minOut: bigint;
  /** The wallet's gain: shares of a deposit or rebalance, assets of a redeem. */
  readonly received: bigint;
  /** The wallet's expense: assets of a deposit, shares of a redeem or rebalance. */
  readonly given: bigint;
  /** Assets that a rebalance left in the wallet. */
  readonly assetsLeft: bigint;
  /** Shares left of the vault of the case. */
  readonly sharesLeft: bigint;
  readonly gasPaid: bigint;
  readonly maxGas: bigint;
  /** What remains allowed to each vault. */
  readonly allowances: readonly bigint[];
}

/** A configured wallet, with the real builder and the real relay, which simulates nothing. */
export interface WalletBench {
  readonly wallet: Address;
  prepare(testCase: TestCase): Promise<Execution>;
  /** Sign a prepared execution and execute it. */
  execute(testCase: TestCase, execution: Execution): Promise<Outcome>;
  stop(): Promise<void>;
}

/** Set up a wallet that uses unsafe vaults. */
export async function startWalletBench(
  local: LocalDeployment,
  options: IntentBuilderOptions,
  plain: RankedVault,
): Promise<WalletBench> {
  const key = testKey('intent-builder devnet');
  const wallet = privateKeyToAccount(key).address;
  const { chain, chains } = local;

  const database = await openTestDatabase();
  const known = new Map<string, RankedVault>();
  const relay = createExecutionRelay({
    chains,
    store: createDatabaseIntentStore(database),
    vaults: { byAddress: (_, address) => known.get(address) },
    options: { waitSeconds: 20, lifetimeSeconds: options.expirySeconds },
  });
  const send = ({ operation, vault, others = [], request, options: overrides }: TestCase) => {
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
  const prepare = async (testCase: TestCase): Promise<Execution> => {
    const response = await send(testCase);
    if (response.needsSetup) throw new Error('the wallet needs a setup');
    return response.execution;
  };

  const balance = (token: Address, owner = wallet) =>
    chain.rpc.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
  const allowance = ({ vaultAddress, asset }: RankedVault) =>
    chain.rpc.readContract({
      address: asset.address,
      abi: erc20Abi,
      functionName: 'allowance',
      args: [wallet, vaultAddress],
    });
  const holdings = async (source: RankedVault, target: RankedVault) => {
    const [assets, shares, targetShares, gas] = await Promise.all([
      balance(source.asset.address),
      balance(source.vaultAddress),
      balance(target.vaultAddress),
      balance(chain.usdc, chain.contracts.paymaster),
    ]);
    return { assets, shares, targetShares, gas };
  };

  await local.fund(wallet, 1_000_000_000_000n);
  const first = await send({ operation: 'deposit', vault: plain, request: { amount: '1' } });
  if (!first.needsSetup) throw new Error('the wallet is set up already');
  await sendSetup(chain, first, key);

  return {
    wallet,
    prepare,
    stop: () => database.close(),
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
        allowances: [await allowance(vault), await allowance(target)],
      };
    },
  };
}

/** Name a refusal in one line: its code, and the failed vault check or the revert reason. */
export function refusalOf(error: unknown): string {
  if (!(error instanceof ServiceError)) throw error;
  const { hazard: check, revertReason } = (error.details ?? {}) as { hazard?: string; revertReason?: string };
  const reason = check ?? /^[^(]+/.exec(revertReason ?? '')?.[0] ?? '';
  return `${error.code} ${reason}`.trim();
}
