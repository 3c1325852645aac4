import { createActiveChains, type ActiveChain, type ChainConfig } from '@yield-vault/chains';
import { canonical, chainFacts, localContracts, walletContracts } from '@yield-vault/contracts';
import { eventTopics, nonceKey } from '@yield-vault/smart-account';
import { startAnvil, startRpcProxy, type RpcProxy } from '@yield-vault/testing';
import { createChainClient, request, type ChainClient } from '@yield-vault/testing/local';
import { concat, encodeAbiParameters, pad, toHex, zeroAddress, type Address, type Hex } from 'viem';

export const chainId = 8453;
/** Contracts that emit any event on command. */
export const [vault, lateVault]: readonly Address[] = [pad('0xa1', { size: 20 }), pad('0xa2', { size: 20 })];
const { entryPointV08: entryPoint } = canonical;
const sender: Address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

/** Runtime code that emits one event: its first words are the topics, the rest is the data. */
function emitter(topics: 3 | 4): Hex {
  const size = topics * 32;
  const words = Array.from(
    { length: topics },
    (_, index) => `60${toHex(size - 32 * (index + 1), { size: 1 }).slice(2)}3590`,
  );
  const head = toHex(size, { size: 1 }).slice(2);
  return `0x60${head}360380${`60${head}`}600037${words.join('')}6000a${topics}00`;
}

/** A local chain behind a proxy, with contracts that emit events on command. */
export interface LogChain {
  readonly chain: ActiveChain;
  readonly proxy: RpcProxy;
  readonly node: ChainClient;
  /** Shares move between two wallets, in a block of their own. */
  transfer(from: Address, to: Address, shares: bigint, of?: Address): Promise<void>;
  /** An operation of our validator ends, in a block of its own. */
  operate(wallet: Address, sequence: bigint, userOpHash: Hex): Promise<Hex>;
  stop(): Promise<void>;
}

export async function startLogChain(): Promise<LogChain> {
  const anvil = await startAnvil({ chainId });
  const proxy = await startRpcProxy(anvil.rpcUrl);
  const node = createChainClient(anvil.rpcUrl);
  for (const address of [vault!, lateVault!]) await node.setCode({ address, bytecode: emitter(3) });
  await node.setCode({ address: entryPoint, bytecode: emitter(4) });
  const config: ChainConfig = {
    chainId,
    name: 'Local',
    relayMode: 'chain',
    confirmations: 0,
    rpcUrls: [proxy.url],
    bundlerUrls: [],
    explorerUrl: 'https://explorer.example',
    entryPoint,
    paymaster: { kind: 'own' },
    contracts: localContracts(chainId),
    usdc: chainFacts(chainId).usdc.address,
    fork: { opStack: false, bundlerAccounts: [] },
    deadlines: { rpcMs: 2_000, bundlerMs: 2_000 },
  };
  const emit = async (to: Address, data: Hex) => {
    const transaction = { from: sender, to, data, gas: toHex(100_000) };
    const hash = await request<Hex>(node, 'eth_sendTransaction', [transaction]);
    await node.waitForTransactionReceipt({ hash });
    return hash;
  };
  const word = (value: Hex | bigint) => pad(typeof value === 'bigint' ? toHex(value) : value, { size: 32 });
  return {
    chain: createActiveChains({ chains: { base: config } }).all[0]!,
    proxy,
    node,
    async transfer(from, to, shares, of = vault!) {
      await emit(of, concat([eventTopics.transfer, word(from), word(to), word(shares)]));
    },
    operate(wallet, sequence, userOpHash) {
      const nonce = (nonceKey(walletContracts.validator) << 64n) + sequence;
      const values = [nonce, true, 1n, 1n] as const;
      const types = [
        { type: 'uint256' },
        { type: 'bool' },
        { type: 'uint256' },
        { type: 'uint256' },
      ] as const;
      const topics = [eventTopics.userOperation, userOpHash, word(wallet), word(zeroAddress)];
      return emit(entryPoint, concat([...topics, encodeAbiParameters(types, values)]));
    },
    async stop() {
      await proxy.stop();
      await anvil.stop();
    },
  };
}
