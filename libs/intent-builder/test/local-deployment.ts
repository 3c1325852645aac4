import { createActiveChains, type ActiveChain, type ActiveChains } from '@yield-vault/chains';
import { chainFacts } from '@yield-vault/contracts';
import { localVaults, type LocalVaultKind } from '@yield-vault/testing/local';
import { fundWallet, startDevnet, type Devnet } from '@yield-vault/devnet';
import {
  fromWireUserOperation,
  type Eip7702Auth,
  type Execution,
  type PrepareSetupResponse,
} from '@yield-vault/protocol';
import { anvilKey } from '@yield-vault/testing';
import { encodeIntentSignature } from '@yield-vault/smart-account';
import {
  createWalletClient,
  http,
  type Account,
  type Address,
  type Chain,
  type Hex,
  type TransactionReceipt,
  type Transport,
  type WalletClient,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/** A running local Base with its bundler. */
export interface LocalDeployment {
  readonly chains: ActiveChains;
  readonly chain: ActiveChain;
  /** @param ethWei - default 0.005 ether */
  fund(wallet: Address, usdc: bigint, ethWei?: bigint): Promise<unknown>;
  stop(): Promise<void>;
}

/** Start a local Base with contracts, vaults and a bundler. */
export async function startLocalDeployment(): Promise<LocalDeployment> {
  const devnet: Devnet = await startDevnet({ chains: ['base'], historyDays: 1 });
  const base = devnet.chains[0]!;
  const chains = createActiveChains({
    chains: {
      base: {
        chainId: base.chainId,
        name: 'Base (local)',
        relayMode: 'chain',
        confirmations: 0,
        rpcUrls: [base.rpcUrl],
        // Only this version of its API checks `preVerificationGas`.
        bundlerUrls: [`${base.bundlerUrl}/v2/rpc`],
        explorerUrl: 'https://explorer.example',
        entryPoint: base.entryPoint,
        paymaster: { kind: 'own' },
        contracts: base.contracts,
        usdc: chainFacts(8453).usdc.address,
        fork: { opStack: false, bundlerAccounts: [] },
        deadlines: { rpcMs: 5_000, bundlerMs: 10_000 },
      },
    },
  });
  return {
    chains,
    chain: chains.require('base'),
    fund: (wallet, usdc, ethWei = 5_000_000_000_000_000n) => fundWallet(base, wallet, { ethWei, usdc }),
    stop: () => devnet.stop(),
  };
}

/** The account that deploys contracts and owns the paymaster. */
export const deployerOf = ({
  chain: { rpc, rpcUrls },
}: LocalDeployment): WalletClient<Transport, Chain | undefined, Account> =>
  createWalletClient({
    account: privateKeyToAccount(anvilKey(0)),
    chain: rpc.chain,
    transport: http(rpcUrls[0]),
  });

/** The first local vault of Base that behaves in some way. */
export function localVault(kind: LocalVaultKind, asset: 'USDC' | 'WETH' = 'USDC') {
  const vault = localVaults[8453].find((v) => v.kind === kind && v.asset === asset);
  if (!vault) throw new Error(`no local vault is ${kind}`);
  return vault;
}

/** Sign and send a setup exactly as the setup block says. */
export async function sendSetup(
  { rpc, rpcUrls }: ActiveChain,
  { setup }: Pick<PrepareSetupResponse, 'setup'>,
  key: Hex,
  data: Hex = setup.initCalldata,
): Promise<TransactionReceipt> {
  const client = createWalletClient({
    account: privateKeyToAccount(key),
    transport: http(rpcUrls[0]),
  });
  const { authorization, to, gas } = setup;
  const authorizationList = authorization
    ? [await client.signAuthorization({ ...authorization, executor: 'self' })]
    : undefined;
  const hash = await client.sendTransaction({
    chain: null,
    to,
    data,
    gas: BigInt(gas.gasLimit),
    maxFeePerGas: BigInt(gas.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(gas.maxPriorityFeePerGas),
    ...(authorizationList ? { authorizationList } : {}),
  });
  return rpc.waitForTransactionReceipt({ hash });
}

/** Submit a prepared envelope with its signature, as the relay does, and wait for the receipt. */
export async function submit({ bundler }: ActiveChain, { intentEnvelope }: Execution, signature: Hex) {
  const { userOps, expiry, validAfter, proofs } = intentEnvelope;
  const { userOperation, eip7702Auth } = userOps[0]!;
  const operation = {
    ...fromWireUserOperation(userOperation),
    ...(eip7702Auth ? { authorization: eip7702Auth as Eip7702Auth } : {}),
    signature: encodeIntentSignature({ expiry, validAfter, signature, proof: proofs[0] ?? [] }),
  };
  const sent = await bundler!.send(operation);
  if (sent.outcome !== 'accepted') throw new Error('the bundler did not take the operation', { cause: sent });
  for (let attempt = 0; attempt < 200; attempt++) {
    const receipt = await bundler!.receipt(sent.userOpHash);
    if (receipt) return receipt;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the operation was not included');
}
