import { entryPointV08Abi } from '@yield-vault/contracts';
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
import { createPublicClient, http, type Address, type Hex } from 'viem';
import type { ApiClient } from './api-client.js';

/** A wallet of ethers v6, and what it asks for. */
export interface GaslessWallet {
  readonly wallet: Wallet;
  readonly provider: JsonRpcProvider;
  /** A deposit, as prepare takes it. */
  readonly deposit: Pick<GaslessSetupRequest, 'chain' | 'agentAddress' | 'vaultId' | 'asset' | 'amount'>;
  balanceOf(token: string): Promise<bigint>;
}

/** Make a wallet on a chain that holds 50 USDC and no ether, and wants to deposit 25. */
export async function createGaslessWallet(chain: DevnetChain, vaultId: string): Promise<GaslessWallet> {
  const provider = new JsonRpcProvider(chain.rpcUrl, undefined, { cacheTimeout: -1 });
  const wallet = new Wallet(Wallet.createRandom().privateKey, provider);
  const agentAddress = wallet.address as Address;
  await fundWallet(chain, agentAddress, { usdc: 50_000_000n });
  const abi = ['function balanceOf(address) view returns (uint256)'];
  return {
    wallet,
    provider,
    deposit: { chain: chain.key, agentAddress, vaultId, asset: 'USDC', amount: '25' },
    balanceOf: (token) =>
      new Contract(token, abi, provider).getFunction('balanceOf')(agentAddress) as Promise<bigint>,
  };
}

/** Read the outcomes of the operations of a wallet that a chain included. */
export async function includedOf({ rpcUrl, entryPoint }: DevnetChain, sender: string) {
  const events = await createPublicClient({ transport: http(rpcUrl) }).getContractEvents({
    address: entryPoint,
    abi: entryPointV08Abi,
    eventName: 'UserOperationEvent',
    args: { sender: sender as Address },
    fromBlock: 'earliest',
    strict: true,
  });
  return events.map(({ args }) => args.success);
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

/** Sign the authorization: the request of gasless-setup. The account pays for gas without a permit. */
export async function signGasless(
  { wallet, deposit }: Pick<GaslessWallet, 'wallet' | 'deposit'>,
  { authorization, permit }: GaslessSetup,
  changes: Partial<NonNullable<GaslessSetup['authorization']>> = {},
): Promise<GaslessSetupRequest> {
  if (!authorization || permit) throw new Error('The setup asks for other signatures');
  const { contractAddress, chainId, nonce } = { ...authorization, ...changes };
  const { signature } = await wallet.authorize({ address: contractAddress, chainId, nonce });
  const { yParity, r, s } = signature;
  return {
    ...deposit,
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
