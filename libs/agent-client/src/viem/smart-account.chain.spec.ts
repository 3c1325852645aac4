import { walletContracts } from '@yield-vault/contracts';
import { intentSigning } from '@yield-vault/protocol';
import { hashMessage, hashTypedData, keccak256, parseAbi, type Hex } from 'viem';
import { testAccount } from '@yield-vault/testing';
import {
  plantValidator,
  startContractsChain,
  type ContractsChain,
} from '../../test/start-contracts-chain.js';
import { localAddressBook } from '../verify/address-book.js';
import { UnknownModulesError } from '../delegation/describe-delegation.js';
import { toYieldVaultSmartAccount } from './smart-account.js';

describe('toYieldVaultSmartAccount', () => {
  let chain: ContractsChain;
  beforeAll(async () => void (chain = await startContractsChain()));
  afterAll(() => chain.stop());
  const accountOf = (name: string) =>
    toYieldVaultSmartAccount({ client: chain.rpc, owner: testAccount(name), addressBook: localAddressBook });

  it('default: a new wallet is delegated by its first operation', async () => {
    const account = await accountOf('new');
    expect(await account.isDeployed()).toBe(false);
    expect(await account.getFactoryArgs()).toEqual({ factory: '0x7702', factoryData: '0x' });
  });

  it('default: a delegated wallet signs for ERC-1271', async () => {
    const account = await accountOf('delegated');
    await chain.send('delegated', { delegate: walletContracts.account });
    expect(await account.getFactoryArgs()).toEqual({ factory: undefined, factoryData: undefined });
    const { address } = account;
    const signature = await account.signMessage({ message: 'hello' });
    const abi = parseAbi(['function isValidSignature(bytes32, bytes) view returns (bytes4)']);
    const isValid = (hash: Hex, given: Hex) =>
      chain.rpc.readContract({ address, abi, functionName: 'isValidSignature', args: [hash, given] });
    expect(await isValid(hashMessage('hello'), signature)).toBe('0x1626ba7e');
    const document = intentSigning({
      merkleRoot: keccak256('0x'),
      chainId: 8453,
      expiry: 1,
      validAfter: 0,
      validator: address,
    });
    const signed = await account.signTypedData(document as never);
    expect(await isValid(hashTypedData(document as never), signed)).toBe('0x1626ba7e');
    expect(await isValid(hashMessage('other'), signature)).toBe('0xffffffff');
  });

  it('error: an operation whose gas could cost more than the limit is not signed', async () => {
    const account = await accountOf('rich');
    const gas = { callGasLimit: 500_000n, verificationGasLimit: 90_000n, preVerificationGas: 410_000n };
    const sign = (maxFeePerGas: bigint) =>
      account.signUserOperation({
        ...gas,
        callData: '0x',
        nonce: 0n,
        maxFeePerGas,
        maxPriorityFeePerGas: 1n,
        signature: '0x',
      });
    await expect(sign(10n ** 10n)).resolves.toMatch(/^0x/);
    await expect(sign(10n ** 10n + 1n)).rejects.toMatchObject({ reason: 'GAS_TOO_EXPENSIVE' });
  });

  it('error: a wallet that delegates to other code', async () => {
    const account = await accountOf('elsewhere');
    await chain.send('elsewhere', { delegate: chain.rpc.chain.contracts.multicall3.address });
    await expect(account.isDeployed()).rejects.toMatchObject({ reason: 'DELEGATION_MISMATCH' });
  });

  it('error: a delegation that would activate an unknown module', async () => {
    await plantValidator(chain, 'planted');
    const account = await accountOf('planted');
    await expect(account.isDeployed()).rejects.toThrow(UnknownModulesError);
  });
});
