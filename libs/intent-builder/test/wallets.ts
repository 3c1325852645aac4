import type { ActiveChain } from '@yield-vault/chains';
import type {
  Eip7702Auth,
  Execution,
  GaslessSetup,
  GaslessSetupRequest,
  PermitTypedData,
  PrepareRequest,
  PrepareSetupResponse,
  RankedVault,
} from '@yield-vault/protocol';
import { signIntent, testAccount, testKey } from '@yield-vault/testing';
import { createWalletClient, erc20Abi, http, type Address, type Hex, type LocalAccount } from 'viem';
import { createIntentBuilder, type IntentBuilder, type IntentBuilderOptions } from '../src/index.js';
import { buildCatalogue } from './build-catalogue.js';
import { options } from './build-request.js';
import { sendSetup, submit, type LocalDeployment } from './local-deployment.js';

/** Other settings of the deployment for one request. */
export type Setting = Partial<IntentBuilderOptions> & { readonly chain?: ActiveChain };
type Request = Partial<PrepareRequest>;

/** Wallets of a local chain, each known by its name. A request is about the first of the vaults unless it names another. */
export function createWallets(local: LocalDeployment, vaults: readonly [RankedVault, ...RankedVault[]]) {
  const addressOf = (name: string): Address => testAccount(name).address;
  const build = ({ chain = local.chain, ...overrides }: Setting = {}): IntentBuilder =>
    createIntentBuilder({
      chains: { ...local.chains, require: () => chain },
      vaults: buildCatalogue(vaults),
      options: { ...options, ...overrides },
    });

  const prepare = (name: string, request: Request, setting?: Setting) =>
    build(setting).prepare({
      operation: 'deposit',
      chain: 'base',
      agentAddress: addressOf(name),
      vaultId: vaults[0].vaultId,
      ...request,
    });
  async function setupOf(...call: Parameters<typeof prepare>): Promise<PrepareSetupResponse> {
    const response = await prepare(...call);
    if (!response.needsSetup) throw new Error('the wallet needs no setup');
    return response;
  }
  async function executionOf(...call: Parameters<typeof prepare>): Promise<Execution> {
    const response = await prepare(...call);
    if (response.needsSetup) throw new Error('the wallet needs a setup');
    return response.execution;
  }

  /** Sign and submit an execution that must succeed. */
  async function run(name: string, execution: Execution) {
    const signature = await signIntent(execution.intentEnvelope.signing, testKey(name));
    const receipt = await submit(local.chain, execution, signature);
    expect(receipt.success).toBe(true);
    return receipt;
  }
  /** Send a setup, or other data to where it goes, which must succeed. */
  async function sendTransaction(name: string, response: Parameters<typeof sendSetup>[1], data?: Hex) {
    const receipt = await sendSetup(local.chain, response, testKey(name), data);
    expect(receipt.status).toBe('success');
    return receipt;
  }

  return {
    addressOf,
    build,
    prepare,
    setupOf,
    executionOf,
    run,
    sendTransaction,
    /** Fund and set up a wallet. */
    async configured(name: string, usdc = 1_000_000_000n, setting?: Setting): Promise<Address> {
      await local.fund(addressOf(name), usdc);
      await sendTransaction(name, await setupOf(name, { amount: '1' }, setting));
      return addressOf(name);
    },
    /** Sign the gasless setup of a wallet, and prepare its first deposit. */
    async gaslessDeposit(name: string, amount: string, setting?: Setting): Promise<Execution> {
      const { gaslessSetup } = await setupOf(name, { amount }, setting);
      const request = {
        chain: 'base',
        agentAddress: addressOf(name),
        vaultId: vaults[0].vaultId,
        asset: 'USDC',
        amount,
      };
      const signed = await signGaslessSetup(testAccount(name), gaslessSetup!);
      return (await build(setting).gaslessSetup({ ...request, ...signed })).execution;
    },
    /** The details of the `InsufficientBalanceError` of a request. */
    async missingOf(...call: Parameters<typeof prepare>): Promise<Missing> {
      const error: unknown = await prepare(...call).catch((e: unknown) => e);
      expect(error).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
      return (error as { details: Missing }).details;
    },
    balance: (owner: Address, address = local.chain.usdc) =>
      local.chain.rpc.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] }),
    allowance: (owner: Address, spender: Address) =>
      local.chain.rpc.readContract({
        address: local.chain.usdc,
        abi: erc20Abi,
        functionName: 'allowance',
        args: [owner, spender],
      }),
    /** Send a transaction of the wallet to the token of the chain. */
    async useUsdc(name: string, functionName: 'approve' | 'transfer', to: Address, amount: bigint) {
      const { rpc, rpcUrls, usdc } = local.chain;
      const client = createWalletClient({ account: testAccount(name), transport: http(rpcUrls[0]) });
      const call = { chain: null, address: usdc, abi: erc20Abi, functionName, args: [to, amount] } as const;
      await rpc.waitForTransactionReceipt({ hash: await client.writeContract(call) });
    },
  };
}

type Missing = Readonly<
  Record<'required' | 'available' | 'missing' | 'gas' | 'exitReserve' | 'token' | 'maxAmount', string>
>;

/** The signatures of a gasless setup. */
export type SignedSetup = Pick<GaslessSetupRequest, 'permitSignature' | 'authorization'>;

/** Sign a gasless setup as it says. */
export async function signGaslessSetup(
  wallet: LocalAccount,
  { authorization, permit }: GaslessSetup,
): Promise<SignedSetup> {
  return {
    ...(permit && { permitSignature: await signPermit(wallet, permit) }),
    ...(authorization && { authorization: await signAuthorization(wallet, authorization) }),
  };
}

/** Sign a permit as the document says. */
export function signPermit(wallet: LocalAccount, { message, ...permit }: PermitTypedData): Promise<Hex> {
  const [value, nonce, deadline] = [message.value, message.nonce, message.deadline].map(BigInt);
  return wallet.signTypedData({ ...permit, message: { ...message, value, nonce, deadline } as never });
}

async function signAuthorization(
  wallet: LocalAccount,
  authorization: NonNullable<GaslessSetup['authorization']>,
): Promise<Eip7702Auth> {
  const { r, s, yParity } = await wallet.signAuthorization!(authorization);
  const { contractAddress: address, chainId, nonce } = authorization;
  return { address, chainId, nonce, r, s, yParity: yParity! };
}
