import { createRequire } from 'node:module';
import { canonical, entryPointV08Abi } from '@yield-vault/contracts';
import { activeBase, type DevnetChain } from '@yield-vault/devnet';
import type { PrepareRequest, UserOperation } from '@yield-vault/protocol';
import {
  concat,
  createWalletClient,
  encodeFunctionData,
  getContractAddress,
  http,
  zeroHash,
  type Abi,
  type Address,
  type Hex,
  type PrivateKeyAccount,
  type TransactionReceipt,
} from 'viem';
import { createBundlerClient } from 'viem/account-abstraction';
import { base } from 'viem/chains';

export interface Call {
  readonly to: Address;
  readonly data: Hex;
}

/** A wallet that is set up in its own way. */
export interface Contender {
  /** Gas of the setup. */
  readonly setup: bigint;
  /** Where assets and shares are. */
  readonly holder: Address;
  /** Run one step, given as calls and as a request of prepare. */
  readonly run: (calls: readonly Call[], step: Step) => Promise<readonly TransactionReceipt[]>;
}

export type Step = Pick<PrepareRequest, 'operation' | 'asset' | 'amount' | 'shares'>;

interface Contract {
  readonly address: Address;
  readonly abi: Abi;
}

export const encodeCall = (
  { address, abi }: Contract,
  functionName: string,
  args: readonly unknown[],
): Call => ({
  to: address,
  data: encodeFunctionData({ abi, functionName, args }),
});

export type Sender = ReturnType<typeof createSender>;

/** Send transactions and operations of a wallet. */
export function createSender(local: DevnetChain, wallet: PrivateKeyAccount) {
  const chain = activeBase(local);
  const client = createWalletClient({ account: wallet, chain: base, transport: http(local.rpcUrl) });
  const send = async (call: Call, implementation?: Address): Promise<TransactionReceipt> => {
    const authorizationList = implementation && [
      await client.signAuthorization({ contractAddress: implementation, executor: 'self' }),
    ];
    const receipt = await client.sendTransactionSync({ ...call, authorizationList });
    if (receipt.status !== 'success') throw new Error(`The transaction ${receipt.transactionHash} reverted`);
    return receipt;
  };
  return {
    local,
    chain,
    wallet,
    send,
    /** Deploy an artifact at the address that follows from its code, once. */
    deploy: async (artifact: string, args: Hex = '0x'): Promise<Contract> => {
      const { abi, bytecode } = createRequire(import.meta.url)(artifact) as { abi: Abi; bytecode: Hex };
      const code = concat([bytecode, args]);
      const from = canonical.create2Deployer;
      const address = getContractAddress({ opcode: 'CREATE2', from, salt: zeroHash, bytecode: code });
      if (!(await chain.rpc.getCode({ address }))) await send({ to: from, data: concat([zeroHash, code]) });
      return { address, abi };
    },
    /** Fill an operation, sign it, and send it through the bundler. */
    sendOperation: async (
      parts: Pick<UserOperation, 'sender' | 'callData'> & Partial<UserOperation>,
      sign: (operation: UserOperation) => Promise<Hex>,
    ): Promise<TransactionReceipt[]> => {
      const { rpc, bundler, entryPoint } = chain;
      const nonce = await rpc.readContract({
        address: entryPoint,
        abi: entryPointV08Abi,
        functionName: 'getNonce',
        args: [parts.sender, 0n],
      });
      const limits = { callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n };
      const fees = await bundler!.gasPrice();
      const draft: UserOperation = { nonce, ...limits, ...fees, signature: '0x', ...parts };
      // Well-formed, so that estimation runs the whole validation. It recovers to another address.
      const stub = await sign({ ...draft, nonce: nonce + 1n });
      const { paymasterVerificationGasLimit, paymasterPostOpGasLimit, ...estimate } = await bundler!.estimate(
        { ...draft, signature: stub },
      );
      const paid = draft.paymaster && { paymasterVerificationGasLimit, paymasterPostOpGasLimit };
      const operation = { ...draft, ...estimate, ...paid };
      const sent = await bundler!.send({ ...operation, signature: await sign(operation) });
      if (sent.outcome !== 'accepted') throw new Error('The bundler refused an operation', { cause: sent });
      const client = createBundlerClient({ transport: http(local.bundlerUrl), pollingInterval: 50 });
      const { success, receipt } = await client.waitForUserOperationReceipt({ hash: sent.userOpHash });
      if (!success) throw new Error(`The operation ${sent.userOpHash} reverted`);
      return [receipt];
    },
  };
}
