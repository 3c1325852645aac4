import {
  canonical,
  chainFacts,
  deployContracts,
  inspectContracts,
  localContracts,
  localPaymasterOwner,
} from '@yield-vault/contracts';
import { provisionLocalChain } from '@yield-vault/testing/local';
import { anvilKey, startAnvil, testAccount, testKey } from '@yield-vault/testing';
import {
  createPublicClient,
  createWalletClient,
  http,
  parseEther,
  type Address,
  type Hex,
  type PublicClient,
  type Transport,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base as realBase } from 'viem/chains';
import { encodeInitializeAndApprove } from '../../src/index.js';

// Without the block in which the real chain got its Multicall3.
const base = { ...realBase, contracts: { multicall3: { address: canonical.multicall3 } } };
export const allowance = 20_000_000n;
export const contracts = {
  ...localContracts(8453),
  usdc: chainFacts(base.id).usdc.address,
  entryPoint: canonical.entryPointV08,
  chainId: base.id,
};
/** Call data of a setup with an allowance of the paymaster. */
export const setupOf = (name: string, token: Address = contracts.usdc): Hex =>
  encodeInitializeAndApprove(testAccount(name).address, {
    token,
    spender: contracts.paymaster,
    amount: allowance,
  });

// With the formatters of Base: the parameters of the libraries must take such a client too.
const createRpc = (transport: Transport): PublicClient<Transport, typeof base> =>
  createPublicClient({ chain: base, transport, pollingInterval: 20 });

export interface SmartAccountChain {
  readonly rpc: PublicClient<Transport, typeof base>;
  /** HTTP requests since the chain was started. */
  requests(): number;
  /** Let a funded wallet send itself one transaction, delegating on request. @returns its address */
  send(name: string, delegate: Address | undefined, data: Hex): Promise<Address>;
  stop(): Promise<void>;
}

/** Start a local chain with our contracts on it. */
export async function startChain(): Promise<SmartAccountChain> {
  const anvil = await startAnvil({ chainId: base.id });
  let requests = 0;
  const transport = http(anvil.rpcUrl, { batch: true, onFetchRequest: () => void requests++ });
  const rpc = createRpc(transport);
  const deployer = createWalletClient({ account: privateKeyToAccount(anvilKey(0)), chain: base, transport });
  await deployContracts(deployer, rpc, { paymaster: { owner: localPaymasterOwner } });
  const inspected = await inspectContracts(rpc, localContracts(8453));
  expect(inspected.every(({ status }) => status === 'ok')).toBe(true);
  await provisionLocalChain(rpc, base.id);

  return {
    rpc,
    requests: () => requests,
    stop: () => anvil.stop(),

    async send(name, delegate, data) {
      const account = privateKeyToAccount(testKey(name));
      const client = createWalletClient({ account, chain: base, transport: http(anvil.rpcUrl) });
      await rpc.request({
        method: 'anvil_setBalance',
        params: [account.address, `0x${parseEther('1').toString(16)}`],
      } as never);
      const authorizationList = delegate
        ? [await client.signAuthorization({ contractAddress: delegate, executor: 'self' })]
        : undefined;
      const hash = await client.sendTransaction({
        to: account.address,
        data,
        gas: 1_000_000n,
        ...(authorizationList ? { authorizationList } : {}),
      });
      await rpc.waitForTransactionReceipt({ hash });
      return account.address;
    },
  };
}
