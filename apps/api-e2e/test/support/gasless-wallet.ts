import { fundWallet, type DevnetChain } from '@yield-vault/devnet';
import {
  gaslessSetupPath,
  type ExecuteRequest,
  type GaslessSetup,
  type GaslessSetupRequest,
  type PrepareExecutionResponse,
  type PrepareSetupResponse,
} from '@yield-vault/protocol';
import { Contract, JsonRpcProvider, Wallet, type TypedDataField } from 'ethers';
import type { Address, Hex } from 'viem';
import type { ApiClient } from './api-client.js';

/** A wallet of ethers v6, and what it asks for. */
export interface GaslessWallet {
  readonly wallet: Wallet;
  readonly provider: JsonRpcProvider;
  /** A deposit, as prepare takes it. */
  readonly deposit: Pick<GaslessSetupRequest, 'chain' | 'agentAddress' | 'vaultId' | 'asset' | 'amount'>;
  balanceOf(token: string): Promise<bigint>;
}

/** What to sign instead of what prepare returned. */
export interface SignatureChanges {
  readonly authorization?: {
    readonly contractAddress?: Address;
    readonly chainId?: number;
    readonly nonce?: number;
  };
  readonly authorizationSigner?: Wallet;
  readonly domain?: object;
  readonly message?: object;
  readonly permitSigner?: Wallet;
}

/** Make a wallet on a chain that holds USDC and no ether. */
export async function createGaslessWallet(
  chain: DevnetChain,
  vaultId: string,
  { usdc = 50_000_000n, amount = '25' } = {},
): Promise<GaslessWallet> {
  const provider = new JsonRpcProvider(chain.rpcUrl, undefined, { cacheTimeout: -1 });
  const wallet = new Wallet(Wallet.createRandom().privateKey, provider);
  const agentAddress = wallet.address as Address;
  if (usdc > 0n) await fundWallet(chain, agentAddress, { usdc });
  const abi = ['function balanceOf(address) view returns (uint256)'];
  return {
    ...{ wallet, provider, deposit: { chain: chain.key, agentAddress, vaultId, asset: 'USDC', amount } },
    balanceOf: (token) =>
      new Contract(token, abi, provider).getFunction('balanceOf')(agentAddress) as Promise<bigint>,
  };
}

/** Ask for the setup of a wallet, which must be possible without ether. */
export async function prepareGasless(
  api: ApiClient,
  { deposit }: GaslessWallet,
): Promise<PrepareSetupResponse & { readonly gaslessSetup: GaslessSetup }> {
  const prepared = await api.prepare(deposit);
  if (!prepared.needsSetup || !prepared.gaslessSetup) throw new Error('The wallet needs no setup, or ether');
  return { ...prepared, gaslessSetup: prepared.gaslessSetup };
}

/** Sign authorization and permit: the request of gasless-setup. */
export async function signGasless(
  { wallet, deposit }: Pick<GaslessWallet, 'wallet' | 'deposit'>,
  { authorization, permit }: GaslessSetup,
  changes: SignatureChanges = {},
): Promise<GaslessSetupRequest> {
  const { domain, types, message } = permit;
  const permitSignature = (await (changes.permitSigner ?? wallet).signTypedData(
    { ...domain, ...changes.domain },
    { Permit: types.Permit.map((field): TypedDataField => ({ ...field })) },
    { ...message, ...changes.message },
  )) as Hex;
  if (!authorization) return { ...deposit, permitSignature };
  const { contractAddress, chainId, nonce } = { ...authorization, ...changes.authorization };
  const signer = changes.authorizationSigner ?? wallet;
  const { signature } = await signer.authorize({ address: contractAddress, chainId, nonce });
  const { yParity, r, s } = signature;
  return {
    ...deposit,
    permitSignature,
    authorization: { chainId, address: contractAddress, nonce, yParity, r: r as Hex, s: s as Hex },
  };
}

/** Send a request of gasless-setup. */
export async function completeGasless(
  api: ApiClient,
  request: GaslessSetupRequest,
): Promise<PrepareExecutionResponse> {
  const { status, body } = await api.call('POST', gaslessSetupPath, request);
  if (status !== 200) throw new Error(`${gaslessSetupPath}: ${JSON.stringify(body)}`);
  return body as PrepareExecutionResponse;
}

/** Sign an intent: the request of execute. */
export async function signGaslessIntent(
  { wallet }: GaslessWallet,
  { execution: { intentEnvelope } }: PrepareExecutionResponse,
): Promise<ExecuteRequest> {
  const { domain, types, message } = intentEnvelope.signing;
  const intentSignature = (await wallet.signTypedData(
    domain,
    { Intent: types.Intent.map((field): TypedDataField => ({ ...field })) },
    message,
  )) as Hex;
  return { intentEnvelope, intentSignature };
}
