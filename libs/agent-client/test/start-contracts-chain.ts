import {
  canonical,
  chainFacts,
  deployContracts,
  localPaymasterOwner,
  walletContracts,
  yieldVaultAccountAbi,
} from '@yield-vault/contracts';
import { provisionLocalChain } from '@yield-vault/testing/local';
import { encodeInitializeAndApprove } from '@yield-vault/smart-account';
import { anvilKey, startAnvil, testAccount } from '@yield-vault/testing';
import {
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  http,
  numberToHex,
  parseEther,
  zeroAddress,
  type Address,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
  type Transport,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base as realBase } from 'viem/chains';

// Without the block in which the real chain got its Multicall3.
const base = { ...realBase, contracts: { multicall3: { address: canonical.multicall3 } } };

/** Call data of a setup that allows Circle's paymaster 20 USDC. */
export const initCalldataOf = (name: string): Hex => {
  const { usdc, circlePaymaster } = chainFacts(8453);
  const approval = { token: usdc.address, spender: circlePaymaster!, amount: 20_000_000n };
  return encodeInitializeAndApprove(testAccount(name).address, approval);
};

/** The call of USDC that allows a spender one USDC. */
export const approveOne = (spender: Address) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, 1_000_000n] });

export interface TestCall {
  /** The account itself unless given. */
  readonly to?: Address;
  readonly data?: Hex;
  readonly delegate?: Address;
}

export interface ContractsChain {
  readonly rpcUrl: string;
  readonly rpc: PublicClient<Transport, typeof base>;
  /** Give a test account one ether. */
  fund(name: string): Promise<Address>;
  /** Let a funded test account send one transaction, delegating on request. */
  send(name: string, call: TestCall): Promise<TransactionReceipt>;
  /** The same without waiting for a block. */
  submit(name: string, call: TestCall): Promise<Hex>;
  /** Put transactions into no block until the result is called. */
  stopMining(): Promise<() => Promise<void>>;
  /** Send raw transactions one after the other. @returns their statuses */
  sendRaw(transactions: readonly Hex[]): Promise<readonly string[]>;
  setCode(address: Address, code: Hex): Promise<void>;
  setBalance(address: Address, wei: bigint): Promise<void>;
  stop(): Promise<void>;
}

/** Let a test account install a module that our account does not bring. @returns its address */
export async function installModule(
  chain: ContractsChain,
  name: string,
  type: 'validator' | 'executor',
  delegate?: Address,
): Promise<Address> {
  const { address } = testAccount(`further ${type}`);
  // Returns true for every call.
  await chain.setCode(address, '0x60015f5260205ff3');
  const args = [type === 'validator' ? 1n : 2n, address, '0x'] as const;
  const data = encodeFunctionData({ abi: yieldVaultAccountAbi, functionName: 'installModule', args });
  await chain.send(name, { data, delegate });
  return address;
}

/** Let a plain account have a validator in its storage that accepts every signature. @returns its address */
export async function plantValidator(chain: ContractsChain, name: string): Promise<Address> {
  const validator = await installModule(chain, name, 'validator', walletContracts.account);
  await chain.send(name, { delegate: zeroAddress });
  return validator;
}

/** Start a chain with the id of Base, our contracts and the local USDC. */
export async function startContractsChain(): Promise<ContractsChain> {
  const anvil = await startAnvil({ chainId: base.id });
  const transport = http(anvil.rpcUrl, { batch: true });
  const rpc: PublicClient<Transport, typeof base> = createPublicClient({
    chain: base,
    transport,
    pollingInterval: 20,
  });
  const deployer = createWalletClient({ account: privateKeyToAccount(anvilKey(0)), chain: base, transport });
  await deployContracts(deployer, rpc, { paymaster: { owner: localPaymasterOwner } });
  await provisionLocalChain(rpc, base.id);
  const request = (method: string, params: readonly unknown[]) => rpc.request({ method, params } as never);

  const setBalance = async (address: Address, wei: bigint) => {
    await request('anvil_setBalance', [address, numberToHex(wei)]);
  };
  const fund = async (name: string) => {
    const { address } = testAccount(name);
    await setBalance(address, parseEther('1'));
    return address;
  };
  const submit = async (name: string, { to, data = '0x', delegate }: TestCall) => {
    await fund(name);
    const account = testAccount(name);
    const client = createWalletClient({ account, chain: base, transport });
    const authorizationList = delegate
      ? [await client.signAuthorization({ contractAddress: delegate, executor: 'self' })]
      : undefined;
    return client.sendTransaction({
      to: to ?? account.address,
      data,
      gas: 1_000_000n,
      authorizationList,
    });
  };
  return {
    rpcUrl: anvil.rpcUrl,
    rpc,
    fund,
    submit,
    setBalance,
    stop: () => anvil.stop(),

    async send(name, call) {
      return rpc.waitForTransactionReceipt({ hash: await submit(name, call) });
    },

    async stopMining() {
      await request('evm_setAutomine', [false]);
      return async () => {
        await request('evm_setAutomine', [true]);
        await request('evm_mine', []);
      };
    },

    async sendRaw(transactions) {
      const statuses: string[] = [];
      for (const serializedTransaction of transactions) {
        const hash = await rpc.sendRawTransaction({ serializedTransaction });
        statuses.push((await rpc.waitForTransactionReceipt({ hash })).status);
      }
      return statuses;
    },

    async setCode(address, code) {
      await request('anvil_setCode', [address, code]);
    },
  };
}
