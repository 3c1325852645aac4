import { signIntent } from '@yield-vault/agent-client';
import { entryPointV08Abi } from '@yield-vault/contracts';
import { setUpWallet } from '@yield-vault/devnet';
import { loneBundleGas } from '@yield-vault/intent-builder';
import {
  fromWireUserOperation,
  type Eip7702Auth,
  type PrepareRequest,
  type PrepareResponse,
  type UserOperation,
} from '@yield-vault/protocol';
import { encodeIntentSignature } from '@yield-vault/smart-account';
import { anvilKey, buildIntentEnvelope } from '@yield-vault/testing';
import { createWalletClient, http, type TransactionReceipt } from 'viem';
import { createBundlerClient, toPackedUserOperation } from 'viem/account-abstraction';
import { privateKeyToAccount } from 'viem/accounts';
import { createBuilder, vaults } from '../builder.js';
import type { Contender, Sender, Step } from './sender.js';

/** Signs a prepared operation and gets it included. */
export type Submit = (
  sender: Sender,
  operation: UserOperation,
  expiry: number,
) => Promise<TransactionReceipt>;

/** Ours: modular account, intent validator, executor hooks with minimum output, gas paid in USDC, as prepare builds it. */
export const createOurs =
  (submit: Submit) =>
  async (sender: Sender): Promise<Contender> => {
    const { chain, local, wallet } = sender;
    const builder = createBuilder(chain);
    return {
      setup: (await setUpWallet(local, wallet)).gasUsed,
      holder: wallet.address,
      run: async (_, step) => [await run(sender, submit, await builder.prepare(requestOf(sender, step)))],
    };
  };

/** Set a wallet up by its first deposit. */
export async function depositWithoutEther(sender: Sender, submit: Submit): Promise<TransactionReceipt[]> {
  const { chain, wallet } = sender;
  const builder = createBuilder(chain);
  const { operation, ...request } = requestOf(sender, { operation: 'deposit', asset: 'USDC', amount: '100' });
  const prepared = await builder.prepare({ operation, ...request });
  const document = prepared.needsSetup && prepared.gaslessSetup?.authorization;
  if (!document) throw new Error('The wallet needs ether');
  const { contractAddress: address, chainId, nonce } = document;
  const { r, s, yParity } = await wallet.signAuthorization({ address, chainId, nonce });
  const authorization = { address, chainId, nonce, r, s, yParity: yParity! };
  const deposit = { ...request, asset: 'USDC', amount: '100', authorization };
  return [await run(sender, submit, await builder.gaslessSetup(deposit))];
}

const requestOf = ({ wallet }: Sender, step: Step): PrepareRequest => ({
  chain: 'base',
  agentAddress: wallet.address,
  vaultId: vaults[0]!.vaultId,
  ...step,
});

function run(sender: Sender, submit: Submit, prepared: PrepareResponse): Promise<TransactionReceipt> {
  if (prepared.needsSetup) throw new Error('The wallet is not set up');
  const { userOps, expiry } = prepared.execution.intentEnvelope;
  const { userOperation, eip7702Auth } = userOps[0]!;
  const authorization = eip7702Auth as Eip7702Auth | undefined;
  const operation = { ...fromWireUserOperation(userOperation), ...(authorization && { authorization }) };
  return submit(sender, operation, expiry);
}

async function sign({ chain, wallet }: Sender, operation: UserOperation, expiry: number) {
  const { chainId, entryPoint, contracts } = chain;
  const { validator } = contracts;
  const { signing } = buildIntentEnvelope({ chainId, entryPoint, validator, expiry, operation });
  const signature = await signIntent(wallet, { signing });
  return { ...operation, signature: encodeIntentSignature({ expiry, validAfter: 0, signature, proof: [] }) };
}

/** Send an operation to the bundler as prepared. */
export const sendToBundler: Submit = async (sender, operation, expiry) => {
  const sent = await sender.chain.bundler!.send(await sign(sender, operation, expiry));
  if (sent.outcome !== 'accepted') throw new Error('The bundler refused an operation', { cause: sent });
  const client = createBundlerClient({ transport: http(sender.local.bundlerUrl), pollingInterval: 50 });
  const { success, receipt } = await client.waitForUserOperationReceipt({ hash: sent.userOpHash });
  if (!success) throw new Error(`The operation ${sent.userOpHash} reverted`);
  return receipt;
};

/** Send an operation alone from an EOA, with the `preVerificationGas` of a bundle of one. */
export const sendAlone: Submit = async (sender, operation, expiry) => {
  const draft = await sign(sender, operation, expiry);
  const lone = { ...operation, preVerificationGas: loneBundleGas(draft) };
  const signed = await sign(sender, lone, expiry);
  const { rpc, entryPoint } = sender.chain;
  const account = privateKeyToAccount(anvilKey(7));
  const client = createWalletClient({ account, chain: rpc.chain, transport: http(sender.local.rpcUrl) });
  const hash = await client.writeContract({
    address: entryPoint,
    abi: entryPointV08Abi,
    functionName: 'handleOps',
    args: [[toPackedUserOperation(signed)], account.address],
    gas: 2_000_000n,
    ...(operation.authorization && { authorizationList: [operation.authorization] }),
  } as never);
  const receipt = await rpc.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error('The bundle reverted');
  return receipt;
};
