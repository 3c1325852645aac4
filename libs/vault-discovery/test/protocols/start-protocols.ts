import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { startAnvil } from '@yield-vault/testing';
import {
  callAsOperator,
  type ChainClient,
  createChainClient,
  localAddresses,
  localOperator,
  localUsdcAbi,
  localWethAbi,
  placeLocalContracts,
  request,
} from '@yield-vault/testing/local';
import {
  type Address,
  concat,
  encodeAbiParameters,
  erc20Abi,
  erc4626Abi,
  type Hex,
  numberToHex,
  parseAbi,
  parseAbiParameters,
  parseEther,
} from 'viem';

/** A lending protocol, and the vault that supplies USDC to it and to nothing else. */
export interface Protocol {
  readonly vault: Address;
  /** Borrow until this share of what the vault lends to is lent out, 0 to 1. Interest makes it more later. */
  lendOut(utilisation: number): Promise<void>;
  /** Give back this many base units. */
  repay(assets: bigint): Promise<void>;
  /** What suppliers earn now by the protocol's own model of rates, as APY in percent. */
  apy(): Promise<number>;
}

/** A local chain with Aave's pool and Morpho Blue. The local operator holds all shares, worth 10M USDC each. */
export interface Protocols {
  readonly rpcUrl: string;
  readonly node: ChainClient;
  readonly aave: Protocol;
  readonly morpho: Protocol;
  stop(): Promise<void>;
}

const chainId = 8453;
const { usdc, weth } = localAddresses[chainId];
const abi = parseAbi([
  'function vault() view returns (address)',
  'function open()',
  'function leave(uint256 idle)',
  'function repay(uint256 assets)',
  'function rate() view returns (uint256)',
]);
/** What the vaults start with, in base units of USDC. */
export const supplied = 10_000_000_000_000n;

/** Compile both protocols and put them on a chain of their own. It takes some 20 s. */
export async function startProtocols(): Promise<Protocols> {
  const script = join(__dirname, 'compile.mjs');
  const compiled = execFileSync(process.execPath, [script], { encoding: 'utf8', maxBuffer: 2 ** 24 });
  const { code, libraries } = JSON.parse(compiled) as Record<'code' | 'libraries', Record<string, Hex>>;
  // The glue creates a whole protocol at once: more gas and code than a transaction may have.
  const args = ['--hardfork', 'prague', '--gas-limit', '200000000', '--disable-code-size-limit'];
  const anvil = await startAnvil({ chainId, args });
  const node = createChainClient(anvil.rpcUrl);
  await placeLocalContracts(node as never, chainId);
  for (const [name, address] of Object.entries(libraries)) {
    await node.setCode({ address, bytecode: code[name]! });
  }
  await node.setBalance({ address: localOperator, value: parseEther('1000') });
  for (const functionName of ['configureMinter', 'mint'] as const) {
    const args = [localOperator, 100n * supplied];
    await callAsOperator(node, { address: usdc, abi: localUsdcAbi, functionName, args });
  }

  const deploy = async (data: Hex): Promise<Protocol> => {
    const transaction = { from: localOperator, data, gas: numberToHex(150_000_000n) };
    const { contractAddress: address } = await request<{ contractAddress: Address }>(
      ...([node, 'eth_sendTransactionSync', [transaction]] as const),
    );
    const ether = { address: weth, abi: localWethAbi };
    await callAsOperator(node, { ...ether, functionName: 'deposit', value: parseEther('1') });
    const args = [address, parseEther('1')];
    await callAsOperator(node, { ...ether, functionName: 'transfer', args });
    await callAsOperator(node, { address, abi, functionName: 'open' });
    const vault = await node.readContract({ address, abi, functionName: 'vault' });
    await deposit(node, vault, supplied);
    return {
      vault,
      lendOut: async (utilisation) => {
        const total = { address: vault, abi: erc4626Abi, functionName: 'totalAssets' } as const;
        const assets = await node.readContract(total);
        const idle = (assets * BigInt(Math.round((1 - utilisation) * 1e6))) / 1_000_000n;
        await callAsOperator(node, { address, abi, functionName: 'leave', args: [idle] });
      },
      apy: async () =>
        100 * Math.expm1(Number(await node.readContract({ address, abi, functionName: 'rate' })) / 1e18),
      repay: (assets) => callAsOperator(node, { address, abi, functionName: 'repay', args: [assets] }),
    };
  };
  const tokens = encodeAbiParameters(parseAbiParameters('address, address'), [usdc, weth]);
  const morphoArgs = encodeAbiParameters(parseAbiParameters('address, address, bytes, bytes'), [
    usdc,
    weth,
    code['Morpho']!,
    code['IrmMock']!,
  ]);
  return {
    rpcUrl: anvil.rpcUrl,
    node,
    aave: await deploy(concat([code['AaveMarket']!, tokens])),
    morpho: await deploy(concat([code['MorphoMarket']!, morphoArgs])),
    stop: anvil.stop,
  };
}

/** Deposit as the local operator. */
export async function deposit(node: ChainClient, vault: Address, assets: bigint): Promise<void> {
  await callAsOperator(node, {
    address: usdc,
    abi: erc20Abi,
    functionName: 'approve',
    args: [vault, assets],
  });
  const args = [assets, localOperator];
  await callAsOperator(node, { address: vault, abi: erc4626Abi, functionName: 'deposit', args });
}
