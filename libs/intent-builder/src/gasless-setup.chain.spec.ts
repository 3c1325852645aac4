import { yieldVaultAccountAbi } from '@yield-vault/contracts';
import {
  AlreadySetUpError,
  eip7702Marker,
  InsufficientBalanceError,
  InvalidParametersError,
  SetupTransactionRejectedError,
  userOperationHash,
  fromWireUserOperation,
  type Eip7702Auth,
  type GaslessSetup,
  type GaslessSetupCheck,
  type GaslessSetupRequest,
} from '@yield-vault/protocol';
import { decodeAccountCall, decodeGasGrant } from '@yield-vault/smart-account';
import { recordRequests, testAccount, testKey } from '@yield-vault/testing';
import { Wallet } from 'ethers';
import { encodeFunctionData, hexToBigInt, numberToHex, type Address, type Hex } from 'viem';
import { listLocalVault } from '../test/build-catalogue.js';
import { localVault, startLocalDeployment, type LocalDeployment } from '../test/local-deployment.js';
import { createWallets, signGaslessSetup, type SignedSetup } from '../test/wallets.js';
import { errorOf } from '../test/expect-error.js';

const vault = listLocalVault(localVault('steady'));
const deposit = { chain: 'base', vaultId: vault.vaultId, asset: 'USDC', amount: '10' } as const;
// Delegated to by other software.
const foreign = '0x00000000000000000000000000000000000000fe';
let local: LocalDeployment;
let wallets: ReturnType<typeof createWallets>;

beforeAll(async () => {
  local = await startLocalDeployment();
  wallets = createWallets(local, [vault]);
}, 120_000);
afterAll(() => local.stop());

async function gaslessOf(name: string): Promise<GaslessSetup> {
  const { gaslessSetup } = await wallets.setupOf(name, { amount: '10' });
  if (!gaslessSetup) throw new Error('the wallet needs ether');
  return gaslessSetup;
}

type Signer = (name: string, setup: GaslessSetup) => Promise<SignedSetup>;

const byViem: Signer = (name, setup) => signGaslessSetup(testAccount(name), setup);

const byEthers: Signer = (name, { authorization }) => {
  const { contractAddress: address, chainId, nonce } = authorization!;
  const { signature } = new Wallet(testKey(name)).authorizeSync({ address, chainId, nonce });
  const { yParity } = signature;
  const [r, s] = [signature.r as Hex, signature.s as Hex];
  return Promise.resolve({ authorization: { address, chainId, nonce, r, s, yParity } });
};

const complete = (name: string, request: Partial<GaslessSetupRequest>) =>
  wallets.build().gaslessSetup({ ...deposit, agentAddress: wallets.addressOf(name), ...request });

describe('gaslessSetup', () => {
  it.each([
    ['viem', byViem],
    ['ethers', byEthers],
  ] as const)('default: signed by %s, one operation delegates and deposits', async (name, sign) => {
    const owner = wallets.addressOf(name);
    const { account } = local.chain.contracts;
    await local.fund(owner, 50_000_000n, 0n);
    const setup = await gaslessOf(name);
    expect(setup).toEqual({
      authorization: { contractAddress: account, chainId: 8453, nonce: 0 },
      permit: null,
      endpoint: '/v1/yield/gasless-setup',
    });
    const signed = await sign(name, setup);
    const { execution, intentId } = await complete(name, signed);
    const { intentEnvelope } = execution;
    const { userOperation, eip7702Auth } = intentEnvelope.userOps[0]!;
    expect(eip7702Auth).toEqual(signed.authorization);
    expect(userOperation.initCode).toBe(eip7702Marker);
    expect(intentId).toBe(intentEnvelope.merkleRoot);
    const operation = fromWireUserOperation(userOperation);
    const maximum = BigInt(execution.gasQuote.maxAmount);
    expect(decodeGasGrant(operation.paymasterData!)).toEqual({ token: local.chain.usdc, maximum });
    expect(decodeAccountCall(operation.callData)).toHaveLength(1);

    const receipt = await wallets.run(name, execution);
    expect(receipt.userOpHash).toBe(userOperationHash(operation, local.chain.entryPoint, 8453, account));
    expect(await wallets.balance(owner, vault.vaultAddress)).toBeGreaterThanOrEqual(
      BigInt(execution.slippage.minOut),
    );
    const gasPaid = 40_000_000n - (await wallets.balance(owner));
    expect(gasPaid).toBeGreaterThan(0n);
    expect(gasPaid).toBeLessThanOrEqual(BigInt(execution.gasQuote.maxAmount));
    expect(await local.chain.rpc.getBalance({ address: owner })).toBe(0n);
    await expect(complete(name, signed)).rejects.toThrow(AlreadySetUpError);
    await wallets.executionOf(name, { amount: '10' });
  });

  it('behavior: a wallet that asks for more than it holds deposits exactly maxAmount instead', async () => {
    const name = 'wishful';
    const owner = wallets.addressOf(name);
    await local.fund(owner, 7_000_000n, 0n);
    const signed = await byViem(name, await gaslessOf(name));
    const error = await errorOf(InsufficientBalanceError, complete(name, { ...signed, amount: '999' }));
    const { maxAmount } = (error as InsufficientBalanceError).details as { maxAmount: string };
    await wallets.run(name, (await complete(name, { ...signed, amount: maxAmount })).execution);
    expect(await wallets.balance(owner, vault.vaultAddress)).toBeGreaterThan(0n);
  });

  it('behavior: a wallet without USDC learns what it needs, and needs no more', async () => {
    const name = 'empty';
    const signed = await byViem(name, await gaslessOf(name));
    const error = await errorOf(InsufficientBalanceError, complete(name, signed));
    const { details } = error as InsufficientBalanceError;
    expect(details).toMatchObject({ available: '0', maxAmount: null });
    await local.fund(wallets.addressOf(name), BigInt(details['missing'] as string), 0n);
    const { execution } = await complete(name, signed);
    await wallets.run(name, execution);
  });

  /** Send a transaction of the wallet to itself. */
  async function sendToSelf(name: string, data: Hex, contractAddress?: Address): Promise<void> {
    const { setup } = await wallets.setupOf('nobody', { amount: '10' });
    const authorization = contractAddress ? { contractAddress, chainId: 8453 } : null;
    await wallets.sendTransaction(
      name,
      { setup: { ...setup, to: wallets.addressOf(name), authorization } },
      data,
    );
  }

  it('behavior: a wallet that other software delegated is delegated to this account', async () => {
    const name = 'foreign';
    await local.fund(wallets.addressOf(name), 50_000_000n);
    await sendToSelf(name, '0x', foreign);
    const setup = await gaslessOf(name);
    expect(setup.authorization).toMatchObject({ nonce: 2 });
    const { execution } = await complete(name, await byViem(name, setup));
    await wallets.run(name, execution);
  });

  it('error: a wallet that removed a default module needs ether, whatever it delegates to', async () => {
    const name = 'removed';
    const { account, executor } = local.chain.contracts;
    await local.fund(wallets.addressOf(name), 50_000_000n);
    const signed = await byViem(name, await gaslessOf(name));
    await sendToSelf(name, '0x', account);
    const args = [2n, executor, '0x'] as const;
    await sendToSelf(
      name,
      encodeFunctionData({ abi: yieldVaultAccountAbi, functionName: 'uninstallModule', args }),
    );
    expect(await wallets.setupOf(name, { amount: '10' })).toMatchObject({
      setupType: 'modules',
      gaslessSetup: null,
    });
    await expectRejected(complete(name, signed), 'modules-verified');
    await sendToSelf(name, '0x', foreign);
    expect(await wallets.setupOf(name, { amount: '10' })).toMatchObject({
      setupType: 'full',
      gaslessSetup: null,
    });
    await expectRejected(complete(name, signed), 'modules-verified');
  });

  it('behavior: only a deposit has a gasless setup', async () => {
    const redeem = { operation: 'redeem', percentage: 50 } as const;
    expect(await wallets.setupOf('nobody', redeem)).toMatchObject({ gaslessSetup: null });
  });

  it('behavior: one request to the node, two to the bundler', async () => {
    const name = 'trips';
    await local.fund(wallets.addressOf(name), 50_000_000n, 0n);
    const setup = await gaslessOf(name);
    const signed = await byViem(name, setup);
    const requests = await recordRequests(() => complete(name, signed));
    expect(requests).toHaveLength(3);
    const reads = requests.filter(({ body }) => /eth_getStorageAt.*eth_getTransactionCount/.test(body));
    expect(reads).toHaveLength(1);
  });

  it('error: InvalidParametersError for a contract', async () => {
    const signed = await byViem('nobody', await gaslessOf('nobody'));
    const attempt = complete('nobody', { ...signed, agentAddress: local.chain.usdc });
    await expect(attempt).rejects.toThrow(InvalidParametersError);
  });

  describe('bad signatures', () => {
    const name = 'careful';
    const stranger = testAccount('stranger').address;
    let setup: GaslessSetup;
    let good: Awaited<ReturnType<Signer>>;

    beforeAll(async () => {
      await local.fund(wallets.addressOf(name), 50_000_000n, 0n);
      setup = await gaslessOf(name);
      good = await byViem(name, setup);
    });
    afterAll(() => expect(complete(name, good)).resolves.toMatchObject({ needsSetup: false }));

    const given = () => good.authorization!;

    it.each<[string, () => Eip7702Auth | undefined | Promise<Eip7702Auth>]>([
      ['missing', () => undefined],
      ['of another wallet', () => authorize('stranger', {})],
      ['of every chain', () => authorize(name, { chainId: 0 })],
      ['of another implementation', () => authorize(name, { address: stranger })],
      ['of a later nonce', () => authorize(name, { nonce: 1 })],
      ['with the other parity', () => ({ ...given(), yParity: 1 - given().yParity })],
      ['with a high s', () => ({ ...given(), ...twin(given()) })],
      ['with zeros', () => ({ ...given(), r: '0x0', s: '0x0' })],
    ])('error: an authorization %s', async (_, authorization) => {
      const request = { authorization: await authorization() };
      await expectRejected(complete(name, request as typeof good), 'auth-list-valid');
    });

    it('error: a permit that nobody needs', async () => {
      const permitSignature: Hex = `0x${'11'.repeat(65)}`;
      await expectRejected(complete(name, { ...good, permitSignature }), 'permit-valid');
    });
  });
});

async function authorize(
  name: string,
  changes: Partial<{ address: Address; chainId: number; nonce: number }>,
): Promise<Eip7702Auth> {
  const document = { address: local.chain.contracts.account, chainId: 8453, nonce: 0, ...changes };
  const { r, s, yParity } = await testAccount(name).signAuthorization(document);
  return { ...document, r, s, yParity: yParity! };
}

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The other signature of the same signer. */
const twin = ({ s, yParity }: Pick<Eip7702Auth, 's' | 'yParity'>) => ({
  s: numberToHex(curveOrder - hexToBigInt(s), { size: 32 }),
  yParity: 1 - yParity,
});

async function expectRejected(attempt: Promise<unknown>, failedCheck: GaslessSetupCheck): Promise<void> {
  const error = await errorOf(SetupTransactionRejectedError, attempt);
  expect(error).toMatchObject({
    details: { failedCheck },
    nextAction: expect.stringMatching(/^Call prepare/) as string,
  });
}
