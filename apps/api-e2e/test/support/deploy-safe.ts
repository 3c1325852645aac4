import { readFileSync } from 'node:fs';
import { anvilKey } from '@yield-vault/testing';
import {
  createWalletClient,
  encodeFunctionData,
  http,
  parseAbi,
  publicActions,
  zeroAddress,
  type Abi,
  type Address,
  type Hex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';

const abi = parseAbi([
  'function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)',
  'function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address)',
]);

/** Deploy a Safe of one owner, with its contracts, as Safe publishes them. */
export async function deploySafe(
  rpcUrl: string,
  owner: Address,
): Promise<{ readonly safe: Address; readonly multiSend: Address }> {
  const account = privateKeyToAccount(anvilKey(0));
  const client = createWalletClient({ account, chain: base, transport: http(rpcUrl) }).extend(publicActions);
  const minedBy = async (hash: Hex) => client.waitForTransactionReceipt({ hash });
  const deploy = async (name: string): Promise<Address> => {
    const file = require.resolve(`@safe-global/safe-contracts/build/artifacts/contracts/${name}`);
    const artifact = JSON.parse(readFileSync(file, 'utf8')) as { abi: Abi; bytecode: Hex };
    const { contractAddress } = await minedBy(await client.deployContract(artifact));
    return contractAddress!;
  };
  const singleton = await deploy('Safe.sol/Safe.json');
  const factory = await deploy('proxies/SafeProxyFactory.sol/SafeProxyFactory.json');
  const multiSend = await deploy('libraries/MultiSendCallOnly.sol/MultiSendCallOnly.json');
  const setup = encodeFunctionData({
    abi,
    functionName: 'setup',
    args: [[owner], 1n, zeroAddress, '0x', zeroAddress, zeroAddress, 0n, zeroAddress],
  });
  const { request, result } = await client.simulateContract({
    address: factory,
    abi,
    functionName: 'createProxyWithNonce',
    args: [singleton, setup, BigInt(Date.now())],
  });
  await minedBy(await client.writeContract(request));
  return { safe: result, multiSend };
}
