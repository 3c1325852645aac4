import { chainFacts, walletContracts } from '@yield-vault/contracts';
import { intentSigning } from '@yield-vault/protocol';
import { encodeGasGrant } from '@yield-vault/smart-account';
import { concat, hashMessage, hashTypedData, keccak256, pad, parseAbi, type Hex } from 'viem';
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

  describe('an operation', () => {
    const gas = { callGasLimit: 500_000n, verificationGasLimit: 90_000n, preVerificationGas: 410_000n };
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n, signature: '0x' as Hex };
    const usdcOf = (chainId: number) => chainFacts(chainId).usdc.address;
    const { paymaster } = localAddressBook.deployments.find(({ chainId }) => chainId === 8453)!;
    const sign = async (changes: object) => {
      const account = await accountOf('rich');
      const callData = await account.encodeCalls([{ to: account.address, value: 0n, data: '0x' }]);
      const nonce = await account.getNonce();
      return account.signUserOperation({ ...gas, ...fees, nonce, callData, ...changes });
    };
    const granting = (changes: object, maximum = 20_000_000n, token = usdcOf(8453)) => ({
      paymaster: paymaster.address,
      paymasterData: encodeGasGrant({ token, maximum }),
      ...changes,
    });
    const other = '0x000000000000000000000000000000000000dEaD';
    // 88 bytes without a paymaster of 20: the account reads the grant from the third field on.
    const shifted = concat([
      pad(other, { size: 20 }),
      encodeGasGrant({ token: usdcOf(8453), maximum: 2n ** 96n - 1n }),
    ]);

    it.each([
      ['gas of exactly the limit', {}],
      ['a grant to the paymaster of the address book', granting({})],
      ['another paymaster that sponsors', { paymaster: other, paymasterData: '0x1234' }],
    ])('default: %s is signed', async (_, changes) => {
      await expect(sign(changes)).resolves.toMatch(/^0x/);
    });

    it.each([
      ['gas above the limit', { maxFeePerGas: 10n ** 10n + 1n }, 'GAS_TOO_EXPENSIVE'],
      ['a grant above the limit', granting({}, 20_000_001n), 'PAYMASTER_DATA_NOT_ALLOWED'],
      ['a grant of another token', granting({}, 1n, other), 'PAYMASTER_DATA_NOT_ALLOWED'],
      ['a grant to another paymaster', granting({ paymaster: other }), 'PAYMASTER_DATA_NOT_ALLOWED'],
      [
        'a paymaster of half a byte less',
        granting({ paymaster: paymaster.address.slice(0, -1) }),
        'MALFORMED',
      ],
      ['gas as text', { callGasLimit: '0b0' }, 'MALFORMED'],
      ['a negative fee', { maxFeePerGas: -1n }, 'MALFORMED'],
      ['another lane of nonces', { nonce: 0n }, 'NONCE_MISMATCH'],
      ['a grant to a paymaster of no bytes', { paymaster: '0x', paymasterData: shifted }, 'MALFORMED'],
      ['call data of somebody else', { callData: '0x1234' }, 'CALLDATA_NOT_ALLOWED'],
    ])('error: %s is not signed', async (_, changes, reason) => {
      await expect(sign(changes)).rejects.toMatchObject({ reason });
    });
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
