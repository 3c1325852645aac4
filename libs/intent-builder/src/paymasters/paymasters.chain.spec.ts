import { createActiveChains, type ActiveChain, type PaymasterConfig } from '@yield-vault/chains';
import { walletContracts } from '@yield-vault/contracts';
import {
  deployLocalServicePaymaster,
  localCirclePaymasterAbi,
  placeLocalCirclePaymaster,
} from '@yield-vault/testing/local';
import { TransactionSubmissionError, type Eip7702Auth, type PermitTypedData } from '@yield-vault/protocol';
import { decodeAccountCall } from '@yield-vault/smart-account';
import { testAccount, testKey } from '@yield-vault/testing';
import {
  concat,
  erc20Abi,
  formatUnits,
  hexToBigInt,
  hexToNumber,
  numberToHex,
  parseEventLogs,
  size,
  slice,
  type Address,
  type Hex,
} from 'viem';
import type { UserOperationReceipt } from 'viem/account-abstraction';
import { privateKeyToAccount } from 'viem/accounts';
import { listLocalVault } from '../../test/build-catalogue.js';
import {
  deployerOf,
  localVault,
  startLocalDeployment,
  type LocalDeployment,
} from '../../test/local-deployment.js';
import { startPaymasterService, type ServiceTerms } from '../../test/start-paymaster-service.js';
import { createWallets, signGaslessSetup, signPermit, type SignedSetup } from '../../test/wallets.js';
import { errorOf, expectUnavailable } from '../../test/expect-error.js';

const vault = listLocalVault(localVault('steady'));
const gasless = { chain: 'base', vaultId: vault.vaultId, asset: 'USDC', amount: '10' } as const;
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const serviceKey = testKey('paymaster service');
const terms: ServiceTerms = { validForSeconds: 3_600, tokenPerNative: 0n };
let local: LocalDeployment;
let wallets: ReturnType<typeof createWallets>;
let circlePaymaster: Address;
let servicePaymaster: Address;
let service: Awaited<ReturnType<typeof startPaymasterService>>;

/** The local Base with another paymaster. */
function chainWith(paymaster: PaymasterConfig, address: Address): ActiveChain {
  const contracts = { ...walletContracts, paymaster: address };
  return createActiveChains({ chains: { base: { ...local.chain, paymaster, contracts } } }).require('base');
}
const circle = () => chainWith({ kind: 'circle' }, circlePaymaster);
const serviceChain = (context: Record<string, string> = {}) =>
  chainWith({ kind: 'erc7677', url: service.rpcUrl, context }, servicePaymaster);

/** Charge of a paymaster before an operation ran, in base units of USDC. */
function prefundOf({ receipt }: UserOperationReceipt, owner: Address, paymaster: Address): bigint {
  const transfers = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs });
  return transfers.find(({ args }) => args.from === owner && args.to === paymaster)?.args.value ?? 0n;
}
const refused = async (attempt: Promise<unknown>) =>
  expect((await expectUnavailable(attempt)).detail).not.toContain('127.0.0.1');
async function pauseCircle(isPaused: boolean): Promise<void> {
  const call = { address: circlePaymaster, abi: localCirclePaymasterAbi, functionName: 'setPaused' } as const;
  const hash = await deployerOf(local).writeContract({ ...call, chain: null, args: [isPaused] });
  await local.chain.rpc.waitForTransactionReceipt({ hash });
}

describe('paymasters', () => {
  beforeAll(async () => {
    local = await startLocalDeployment();
    wallets = createWallets(local, [vault]);
    const { rpc, chainId, usdc } = local.chain;
    const node = { request: (call: { method: string; params?: unknown }) => rpc.request(call as never) };
    circlePaymaster = await placeLocalCirclePaymaster(node, 8453);
    servicePaymaster = await deployLocalServicePaymaster(node, 8453, privateKeyToAccount(serviceKey).address);
    service = await startPaymasterService({ chainId, paymaster: servicePaymaster, usdc }, serviceKey, terms);
  }, 120_000);
  afterAll(async () => {
    await service.stop();
    await local.stop();
  });
  beforeEach(() => Object.assign(terms, { validForSeconds: 3_600, tokenPerNative: 0n }));

  it.each([
    ['our own paymaster', () => local.chain, 0n, 88],
    ["Circle's paymaster", circle, 100_000_000n, 52],
  ])('default: %s: set up, deposit everything but the gas, redeem', async (name, chainOf, allowed, bytes) => {
    const chain = chainOf();
    const { paymaster } = chain.contracts;
    const owner = await wallets.configured(name, 50_000_000n, { chain });
    expect(await wallets.allowance(owner, paymaster)).toBe(allowed);
    const { gasQuote } = await wallets.executionOf(name, { amount: '1' }, { chain });
    const most = (await wallets.balance(owner)) - (BigInt(gasQuote.maxAmount) * 101n) / 100n;
    const deposit = await wallets.executionOf(name, { amount: formatUnits(most, 6) }, { chain });
    expect(size(deposit.intentEnvelope.userOps[0]!.userOperation.paymasterAndData!)).toBe(bytes);

    // What was kept back is what it pulls, and two hundredths for the price to rise.
    const prefund = prefundOf(await wallets.run(name, deposit), owner, paymaster);
    expect(BigInt(deposit.gasQuote.maxAmount)).toBe((prefund * 102n + 99n) / 100n);
    expect(await wallets.balance(owner)).toBeGreaterThan(0n);

    await local.fund(owner, 10_000_000n);
    const redeem = { operation: 'redeem', percentage: 100 } as const;
    await wallets.run(name, await wallets.executionOf(name, redeem, { chain }));
    expect(await wallets.balance(owner, vault.vaultAddress)).toBe(0n);
  });

  describe("Circle's paymaster", () => {
    it('default: a wallet without ether sets itself up by its first deposit', async () => {
      const chain = circle();
      const name = 'circle gasless';
      const agentAddress = wallets.addressOf(name);
      await local.fund(agentAddress, 50_000_000n, 0n);
      const { gaslessSetup } = await wallets.setupOf(name, { amount: '10' }, { chain });
      const signed = await signGaslessSetup(testAccount(name), gaslessSetup!);
      const request = { chain: 'base', agentAddress, vaultId: vault.vaultId, asset: 'USDC', ...signed };
      const tooMuch: unknown = await wallets
        .build({ chain })
        .gaslessSetup({ ...request, amount: '50' })
        .catch((error: unknown) => error);
      expect(tooMuch).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
      const { maxAmount: amount } = (tooMuch as { details: { maxAmount: string } }).details;
      const { execution } = await wallets.build({ chain }).gaslessSetup({ ...request, amount });
      await wallets.run(name, execution);
      expect(await wallets.balance(agentAddress, vault.vaultAddress)).toBeGreaterThan(0n);
      expect(await chain.rpc.getBalance({ address: agentAddress })).toBe(0n);
    });

    it('behavior: an allowance that is used up leads to a modules setup, a low one is restored on the way', async () => {
      const chain = circle();
      const name = 'circle allowance';
      const owner = await wallets.configured(name, 50_000_000n, { chain });
      await wallets.useUsdc(name, 'approve', circlePaymaster, 20_000_000n);
      const restoring = await wallets.executionOf(name, { amount: '5' }, { chain });
      const amount = 100_000_000n;
      expect(decodeAccountCall(restoring.calldata)).toEqual([
        expect.objectContaining({ hook: 'deposit' }),
        { hook: 'approve', spender: circlePaymaster, token: chain.usdc, amount },
      ]);
      await wallets.run(name, restoring);
      expect(await wallets.allowance(owner, circlePaymaster)).toBe(amount);

      await wallets.useUsdc(name, 'approve', circlePaymaster, 1n);
      const modules = await wallets.setupOf(name, { amount: '5' }, { chain });
      expect(modules.setupType).toBe('modules');
      // A setup that allows no more would be asked for again and again.
      await expectUnavailable(wallets.prepare(name, { amount: '5' }, { chain, paymasterAllowanceUsdc: 1n }));
      await wallets.sendTransaction(name, modules);
      expect(await wallets.allowance(owner, circlePaymaster)).toBe(amount);
    });

    it('behavior: a delegated wallet whose allowance is too low needs the permit alone', async () => {
      const chain = circle();
      const name = 'circle frugal';
      const agentAddress = await wallets.configured(name, 50_000_000n, { chain });
      await wallets.useUsdc(name, 'approve', circlePaymaster, 1n);
      const { gaslessSetup } = await wallets.setupOf(name, { amount: '10' }, { chain });
      expect(gaslessSetup?.authorization).toBeNull();
      const signed = await signGaslessSetup(testAccount(name), gaslessSetup!);
      const request = { ...gasless, agentAddress, ...signed };
      const { contracts, chainId } = chain;
      const authorization = await testAccount(name).signAuthorization({
        address: contracts.account,
        chainId,
        nonce: 2,
      });
      await expect(
        wallets.build({ chain }).gaslessSetup({ ...request, authorization: authorization as Eip7702Auth }),
      ).rejects.toMatchObject({ details: { failedCheck: 'auth-list-valid' } });
      const { execution } = await wallets.build({ chain }).gaslessSetup(request);
      const { userOperation, ...rest } = execution.intentEnvelope.userOps[0]!;
      expect(userOperation.initCode).toBe('0x');
      expect(rest).toEqual({});
      await wallets.run(name, execution);
    });

    describe('bad permits', () => {
      const name = 'circle careful';
      const stranger = testAccount('stranger').address;
      let signed: SignedSetup;
      let document: PermitTypedData;
      const complete = (changes: Partial<SignedSetup>) =>
        wallets
          .build({ chain: circle() })
          .gaslessSetup({ ...gasless, agentAddress: wallets.addressOf(name), ...signed, ...changes });

      beforeAll(async () => {
        await local.fund(wallets.addressOf(name), 50_000_000n, 0n);
        const { gaslessSetup } = await wallets.setupOf(name, { amount: '10' }, { chain: circle() });
        document = gaslessSetup!.permit!;
        signed = await signGaslessSetup(testAccount(name), gaslessSetup!);
      });
      afterAll(() => expect(complete({})).resolves.toMatchObject({ needsSetup: false }));

      const permit = (changes: object) =>
        signPermit(testAccount(name), { ...document, message: { ...document.message, ...changes } });
      const domain = (changes: object) =>
        signPermit(testAccount(name), { ...document, domain: { ...document.domain, ...changes } });
      const good = () => signed.permitSignature!;
      const parity = () => hexToNumber(slice(good(), 64)) - 27;
      it.each<[string, () => Hex | undefined | Promise<Hex>]>([
        ['missing', () => undefined],
        ['of another wallet', () => signPermit(testAccount('stranger'), document)],
        ['for another spender', () => permit({ spender: stranger })],
        ['of another value', () => permit({ value: '100000001' })],
        ['of another nonce', () => permit({ nonce: '1' })],
        ['with a deadline', () => permit({ deadline: '2000000000' })],
        ['of another token', () => domain({ verifyingContract: stranger })],
        [
          'with a high s',
          () =>
            concat([
              slice(good(), 0, 32),
              numberToHex(curveOrder - hexToBigInt(slice(good(), 32, 64)), { size: 32 }),
              numberToHex(28 - parity(), { size: 1 }),
            ]),
        ],
        ['with a bare parity', () => concat([slice(good(), 0, 64), numberToHex(parity(), { size: 1 })])],
        ['of 66 bytes', () => `${good()}00`],
      ])('error: a permit %s', async (_, make) => {
        await expect(complete({ permitSignature: (await make())! })).rejects.toMatchObject({
          code: 'SETUP_TRANSACTION_REJECTED',
          details: { failedCheck: 'permit-valid' },
        });
      });
    });

    it('error: TransactionSubmissionError while it is paused', async () => {
      const chain = circle();
      await wallets.configured('circle paused', 50_000_000n, { chain });
      await pauseCircle(true);
      const error = await errorOf(
        TransactionSubmissionError,
        wallets.executionOf('circle paused', { amount: '1' }, { chain }),
      );
      await pauseCircle(false);
      expect(error).toMatchObject({ details: { aaCode: 'AA33', revertReason: 'EnforcedPause' } });
    });
  });

  describe('an ERC-7677 service', () => {
    it('error: it takes no permit, so a setup needs ether', async () => {
      const chain = serviceChain({ token: local.chain.usdc });
      const agentAddress = wallets.addressOf('service gasless');
      expect(await wallets.prepare('service gasless', { amount: '1' }, { chain })).toMatchObject({
        gaslessSetup: null,
      });
      const request = { chain: 'base', agentAddress, vaultId: vault.vaultId, asset: 'USDC', amount: '1' };
      const permitSignature: Hex = `0x${'11'.repeat(65)}`;
      await expect(
        wallets.build({ chain }).gaslessSetup({ ...request, permitSignature }),
      ).rejects.toMatchObject({
        code: 'SETUP_TRANSACTION_REJECTED',
        details: { failedCheck: 'permit-valid' },
      });
    });

    it('default: one that pays leaves the wallet all of its USDC, and is allowed none', async () => {
      const chain = serviceChain({ sponsorshipPolicyId: 'sp_local' });
      const owner = await wallets.configured('sponsored', 25_000_000n, { chain });
      expect(await wallets.allowance(owner, servicePaymaster)).toBe(0n);
      const deposit = await wallets.executionOf('sponsored', { amount: '25' }, { chain });
      expect(deposit.gasQuote).toEqual({ token: chain.usdc, maxAmount: '0', expectedAmount: '0' });
      expect(deposit.costs).toEqual({ gasUsd: 0, exitGasUsd: 0, breakEvenDays: 0 });
      expect(deposit.summary).toContain('Gas is paid by the service.');
      await wallets.run('sponsored', deposit);
      expect(await wallets.balance(owner)).toBe(0n);
      expect(await wallets.allowance(owner, servicePaymaster)).toBe(0n);

      const redeem = await wallets.executionOf(
        'sponsored',
        { operation: 'redeem', percentage: 100 },
        { chain },
      );
      const hooks = decodeAccountCall(redeem.calldata);
      expect(hooks).toEqual([expect.objectContaining({ hook: 'redeem' })]);
      await wallets.run('sponsored', redeem);
      expect(await wallets.balance(owner, vault.vaultAddress)).toBe(0n);
    });

    it('default: one that takes USDC has its quote kept back', async () => {
      terms.tokenPerNative = 2_800_000_000n;
      const chain = serviceChain({ token: local.chain.usdc });
      const owner = await wallets.configured('service token', 50_000_000n, { chain });
      const deposit = await wallets.executionOf('service token', { amount: '5' }, { chain });
      const receipt = await wallets.run('service token', deposit);
      const prefund = prefundOf(receipt, owner, servicePaymaster);
      expect(prefund).toBeGreaterThan(0n);
      expect(prefund).toBeLessThanOrEqual(BigInt(deposit.gasQuote.maxAmount));
      expect(prefund * 110n).toBeGreaterThan(BigInt(deposit.gasQuote.maxAmount) * 100n);
      expect(await wallets.balance(owner)).toBeGreaterThanOrEqual(45_000_000n - prefund);
    });

    it('behavior: stub, estimate, final data; a setup asks for none', async () => {
      const chain = serviceChain();
      const before = service.calls.length;
      await wallets.configured('service calls', 25_000_000n, { chain });
      expect(service.calls.slice(before)).toEqual([]);
      terms.validForSeconds = 240;
      const asked = Math.floor(Date.now() / 1000);
      const { intentEnvelope } = await wallets.executionOf('service calls', { amount: '1' }, { chain });
      expect(intentEnvelope.expiry - asked).toBeGreaterThanOrEqual(240);
      expect(intentEnvelope.expiry - asked).toBeLessThanOrEqual(250);
      const calls = service.calls.slice(before);
      expect(calls.map(({ method }) => method)).toEqual(['pm_getPaymasterStubData', 'pm_getPaymasterData']);
      // The wallet signs the data that the service signed.
      const [signed] = calls[1]!.params as [Record<string, Hex>];
      const { userOperation } = intentEnvelope.userOps[0]!;
      expect(signed['callData']).toBe(userOperation.callData);
      for (const field of ['nonce', 'callGasLimit', 'verificationGasLimit', 'maxFeePerGas'] as const) {
        expect(BigInt(signed[field]!)).toBe(BigInt(userOperation[field]!));
      }
      expect(userOperation.paymasterAndData!.length).toBe(2 + 2 * (52 + 93));
    });

    it('attack: a service that signs for something else', async () => {
      const chain = serviceChain();
      await wallets.configured('service attack', 25_000_000n, { chain });
      const honest = { ...service.handlers };
      const data = honest['pm_getPaymasterData']!;
      const faults: Record<string, (params: readonly unknown[]) => unknown> = {
        'another call': ([userOp, ...rest]) => data([{ ...(userOp as object), callData: '0x12' }, ...rest]),
        nobody: () => ({ paymaster: servicePaymaster, paymasterData: `0x${'11'.repeat(93)}` }),
      };
      for (const fault of Object.values(faults)) {
        service.handlers['pm_getPaymasterData'] = fault;
        await refused(wallets.executionOf('service attack', { amount: '1' }, { chain }));
      }
      Object.assign(service.handlers, honest);
      await wallets.run(
        'service attack',
        await wallets.executionOf('service attack', { amount: '1' }, { chain }),
      );
    });

    it('attack: a service that signs for more than it quotes, or that does not pay after all', async () => {
      terms.tokenPerNative = 2_800_000_000n;
      const priced = serviceChain({ token: local.chain.usdc });
      await wallets.configured('service greed', 25_000_000n, { chain: priced });
      const { pimlico_getTokenQuotes: quotes } = service.handlers;
      service.handlers['pimlico_getTokenQuotes'] = async (params) => {
        const {
          quotes: [quote],
        } = (await quotes!(params)) as { quotes: object[] };
        return { quotes: [{ ...quote, exchangeRate: numberToHex(2_500_000_000n) }] };
      };
      await refused(wallets.executionOf('service greed', { amount: '1' }, { chain: priced }));
      service.handlers['pimlico_getTokenQuotes'] = quotes!;
      await refused(wallets.executionOf('service greed', { amount: '1' }, { chain: serviceChain() }));
      const { gasQuote } = await wallets.executionOf('service greed', { amount: '1' }, { chain: priced });
      expect(BigInt(gasQuote.maxAmount)).toBeGreaterThan(0n);
    });
  });
});
