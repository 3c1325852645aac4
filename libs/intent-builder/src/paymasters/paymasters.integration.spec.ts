import { createActiveChains, type ActiveChain, type PaymasterConfig } from '@yield-vault/chains';
import { deployContracts, contractAddresses } from '@yield-vault/contracts';
import {
  deployLocalServicePaymaster,
  localCirclePaymasterAbi,
  localCircleTerms,
  placeLocalCirclePaymaster,
} from '@yield-vault/testing/local';
import {
  TransactionSubmissionError,
  UpstreamUnavailableError,
  type Execution,
  type PrepareRequest,
  type PrepareResponse,
} from '@yield-vault/protocol';
import { decodeAccountCall } from '@yield-vault/smart-account';
import { anvilKey, signIntent, testKey } from '@yield-vault/testing';
import {
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  formatUnits,
  http,
  numberToHex,
  parseEventLogs,
  type Address,
  type Hex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { buildCatalogue, listLocalVault } from '../../test/build-catalogue.js';
import { options } from '../../test/build-request.js';
import {
  localVault,
  sendSetup,
  startLocalDeployment,
  submit,
  type LocalDeployment,
} from '../../test/local-deployment.js';
import { startPaymasterService, type ServiceTerms } from '../../test/start-paymaster-service.js';
import { createIntentBuilder } from '../prepare.js';
import type { IntentBuilder } from '../types.js';

const vault = listLocalVault(localVault('steady'));
const serviceKey = testKey('paymaster service');
const terms: ServiceTerms = { validForSeconds: 3_600, tokenPerNative: 0n };
let local: LocalDeployment;
let circlePaymaster: Address;
let servicePaymaster: Address;
let service: Awaited<ReturnType<typeof startPaymasterService>>;

/** The local Base with another paymaster. */
function chainWith(paymaster: PaymasterConfig, address: Address): ActiveChain {
  const {
    key: _,
    rpc: __,
    bundler: ___,
    paymasterService: ____,
    explorerTxUrl: _____,
    ...config
  } = local.chain;
  const contracts = contractAddresses({ paymaster: address });
  return createActiveChains({ chains: { base: { ...config, paymaster, contracts } } }).require('base');
}
const circle = () => chainWith({ kind: 'circle' }, circlePaymaster);
const serviceChain = (context: Record<string, string> = {}) =>
  chainWith({ kind: 'erc7677', url: service.rpcUrl, context }, servicePaymaster);

function build(chain: ActiveChain): IntentBuilder {
  const chains = {
    keys: ['base'],
    all: [chain],
    find: () => chain,
    findById: () => chain,
    require: () => chain,
  };
  return createIntentBuilder({ chains, vaults: buildCatalogue([vault]), options });
}
function prepare(
  chain: ActiveChain,
  name: string,
  request: Partial<PrepareRequest>,
): Promise<PrepareResponse> {
  const operation = request.operation ?? 'deposit';
  return build(chain).prepare({
    operation,
    chain: 'base',
    agentAddress: privateKeyToAccount(testKey(name)).address,
    vaultId: vault.vaultId,
    ...(operation === 'deposit' ? { asset: 'USDC' } : {}),
    ...request,
  });
}
async function execution(...call: Parameters<typeof prepare>): Promise<Execution> {
  const response = await prepare(...call);
  if (response.needsSetup) throw new Error('the wallet needs a setup');
  return response.execution;
}
async function configured(chain: ActiveChain, name: string, usdc: bigint): Promise<Address> {
  const owner = privateKeyToAccount(testKey(name)).address;
  await local.fund(owner, usdc);
  const response = await prepare(chain, name, { amount: '1' });
  if (!response.needsSetup) throw new Error('the wallet needs no setup');
  expect((await sendSetup(chain, response, testKey(name))).status).toBe('success');
  return owner;
}
const sign = (name: string, { intentEnvelope }: Execution): Promise<Hex> =>
  signIntent(intentEnvelope.signing, testKey(name));
const run = async (chain: ActiveChain, name: string, prepared: Execution) => {
  const receipt = await submit(chain, prepared, await sign(name, prepared));
  expect(receipt.success).toBe(true);
  return receipt;
};
const balance = (token: Address, owner: Address) =>
  local.chain.rpc.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
const allowance = (owner: Address, spender: Address) =>
  local.chain.rpc.readContract({
    address: local.chain.usdc,
    abi: erc20Abi,
    functionName: 'allowance',
    args: [owner, spender],
  });
/** Charge of a paymaster before an operation ran, in base units of USDC. */
function prefundOf({ receipt }: Awaited<ReturnType<typeof run>>, owner: Address, paymaster: Address): bigint {
  const transfers = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs });
  return transfers.find(({ args }) => args.from === owner && args.to === paymaster)?.args.value ?? 0n;
}
const refused = async (attempt: Promise<unknown>, dependency = 'paymaster:base') => {
  const error: unknown = await attempt.catch((e: unknown) => e);
  expect(error).toBeInstanceOf(UpstreamUnavailableError);
  expect(error).toMatchObject({ details: { dependency } });
  expect((error as UpstreamUnavailableError).detail).not.toContain('127.0.0.1');
};
const tellCircle = async (data: Hex) => {
  const client = createWalletClient({
    account: privateKeyToAccount(anvilKey(0)),
    transport: http(local.chain.rpcUrls[0]),
  });
  const hash = await client.sendTransaction({ chain: null, to: circlePaymaster, data });
  await local.chain.rpc.waitForTransactionReceipt({ hash });
};
const configureCircle = (additionalGasCharge: bigint, feeSpreadBps: bigint) =>
  tellCircle(
    encodeFunctionData({
      abi: localCirclePaymasterAbi,
      functionName: 'configure',
      args: [additionalGasCharge, feeSpreadBps],
    }),
  );
const pauseCircle = (isPaused: boolean) =>
  tellCircle(
    encodeFunctionData({ abi: localCirclePaymasterAbi, functionName: 'setPaused', args: [isPaused] }),
  );

describe('paymasters', () => {
  beforeAll(async () => {
    local = await startLocalDeployment();
    const { rpc, rpcUrls, chainId, usdc } = local.chain;
    const node = { request: (call: { method: string; params?: unknown }) => rpc.request(call as never) };
    circlePaymaster = await placeLocalCirclePaymaster(node, 8453);
    servicePaymaster = await deployLocalServicePaymaster(node, privateKeyToAccount(serviceKey).address);
    const deployer = createWalletClient({
      account: privateKeyToAccount(anvilKey(0)),
      chain: rpc.chain,
      transport: http(rpcUrls[0]),
    });
    for (const paymaster of [circlePaymaster, servicePaymaster])
      await deployContracts(deployer, rpc, { paymaster });
    service = await startPaymasterService({ chainId, paymaster: servicePaymaster, usdc }, serviceKey, terms);
  }, 120_000);
  afterAll(async () => {
    await service.stop();
    await local.stop();
  });
  beforeEach(() => Object.assign(terms, { validForSeconds: 3_600, tokenPerNative: 0n }));

  describe('our own paymaster', () => {
    it('default: set up, deposit everything but the gas, redeem', async () => {
      const { chain } = local;
      const owner = await configured(chain, 'own', 50_000_000n);
      const { gasQuote } = await execution(chain, 'own', { amount: '1' });
      const most = (await balance(chain.usdc, owner)) - (BigInt(gasQuote.maxAmount) * 101n) / 100n;
      const deposit = await execution(chain, 'own', { amount: formatUnits(most, 6) });
      const receipt = await run(chain, 'own', deposit);
      const prefund = prefundOf(receipt, owner, chain.contracts.paymaster);
      expect(BigInt(deposit.gasQuote.maxAmount)).toBe((prefund * 102n + 99n) / 100n);

      await local.fund(owner, 10_000_000n);
      await run(chain, 'own', await execution(chain, 'own', { operation: 'redeem', percentage: 100 }));
      expect(await balance(vault.vaultAddress, owner)).toBe(0n);
    }, 60_000);
  });

  describe("Circle's paymaster", () => {
    it('default: a wallet without ether sets itself up by its first deposit', async () => {
      const chain = circle();
      const name = 'circle gasless';
      const account = privateKeyToAccount(testKey(name));
      await local.fund(account.address, 50_000_000n, 0n);
      const prepared = await prepare(chain, name, { amount: '10' });
      if (!prepared.needsSetup || !prepared.gaslessSetup) throw new Error('there is no gasless setup');
      const { authorization, permit } = prepared.gaslessSetup;
      const { value, nonce, deadline } = permit.message;
      const message = {
        ...permit.message,
        ...{ value: BigInt(value), nonce: BigInt(nonce), deadline: BigInt(deadline) },
      };
      const { r, s, yParity, ...unsigned } = await account.signAuthorization(authorization!);
      const request = {
        ...{ chain: 'base', agentAddress: account.address, vaultId: vault.vaultId, asset: 'USDC' },
        permitSignature: await account.signTypedData({ ...permit, message }),
        authorization: { ...unsigned, r, s, yParity: yParity! },
      };
      const tooMuch: unknown = await build(chain)
        .gaslessSetup({ ...request, amount: '50' })
        .catch((error: unknown) => error);
      expect(tooMuch).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
      const { maxAmount: amount } = (tooMuch as { details: { maxAmount: string } }).details;
      await run(chain, name, (await build(chain).gaslessSetup({ ...request, amount })).execution);
      expect(await balance(vault.vaultAddress, account.address)).toBeGreaterThan(0n);
      expect(await chain.rpc.getBalance({ address: account.address })).toBe(0n);
    }, 60_000);

    it('default: set up, deposit everything but the gas, redeem', async () => {
      const chain = circle();
      const owner = await configured(chain, 'circle', 50_000_000n);
      expect(await allowance(owner, circlePaymaster)).toBe(100_000_000n);

      const { gasQuote } = await execution(chain, 'circle', { amount: '1' });
      const most = (await balance(chain.usdc, owner)) - (BigInt(gasQuote.maxAmount) * 101n) / 100n;
      const deposit = await execution(chain, 'circle', { amount: formatUnits(most, 6) });
      const { userOperation } = deposit.intentEnvelope.userOps[0]!;
      expect(userOperation.paymasterAndData).toHaveLength(2 + 2 * 52);
      const receipt = await run(chain, 'circle', deposit);

      // What was kept back is what it pulls, and two hundredths for the price to rise.
      const prefund = prefundOf(receipt, owner, circlePaymaster);
      expect(BigInt(deposit.gasQuote.maxAmount)).toBe((prefund * 102n + 99n) / 100n);
      const left = await balance(chain.usdc, owner);
      expect(left).toBeGreaterThan(0n);

      await local.fund(owner, 10_000_000n);
      const redeem = await execution(chain, 'circle', { operation: 'redeem', percentage: 100 });
      await run(chain, 'circle', redeem);
      expect(await balance(vault.vaultAddress, owner)).toBe(0n);
    }, 60_000);

    it('behavior: price, surcharge and charge for postOp are current', async () => {
      const chain = circle();
      const { additionalGasCharge } = localCircleTerms[8453];
      await configured(chain, 'circle live', 50_000_000n);
      const quote = async () => {
        const { gasQuote, intentEnvelope } = await execution(chain, 'circle live', { amount: '1' });
        const packed = intentEnvelope.userOps[0]!.userOperation.paymasterAndData!;
        return { most: BigInt(gasQuote.maxAmount), postOpGas: BigInt(`0x${packed.slice(2 + 72, 2 + 104)}`) };
      };
      await configureCircle(additionalGasCharge, 0n);
      const plain = await quote();
      await configureCircle(additionalGasCharge, 1_000n);
      const dearer = await quote();
      expect(Number(dearer.most) / Number(plain.most)).toBeCloseTo(1.1, 1);
      await configureCircle(90_000n, 1_000n);
      const roomier = await quote();
      await configureCircle(additionalGasCharge, 1_000n);
      expect(plain.postOpGas).toBe(40_000n);
      expect(roomier.postOpGas).toBe(90_000n);
      expect(roomier.most).toBeGreaterThan(dearer.most);
    }, 60_000);

    it('behavior: a low allowance is restored on the way', async () => {
      const chain = circle();
      const owner = await configured(chain, 'circle low', 50_000_000n);
      const client = createWalletClient({
        account: privateKeyToAccount(testKey('circle low')),
        transport: http(chain.rpcUrls[0]),
      });
      const hash = await client.writeContract({
        chain: null,
        address: chain.usdc,
        abi: erc20Abi,
        functionName: 'approve',
        args: [circlePaymaster, 20_000_000n],
      });
      await chain.rpc.waitForTransactionReceipt({ hash });
      const deposit = await execution(chain, 'circle low', { amount: '1' });
      expect(decodeAccountCall(deposit.calldata)).toContainEqual({
        hook: 'approve-paymaster',
        amount: 100_000_000n,
      });
      await run(chain, 'circle low', deposit);
      expect(await allowance(owner, circlePaymaster)).toBe(100_000_000n);
    }, 60_000);

    it('error: TransactionSubmissionError while it is paused', async () => {
      const chain = circle();
      await configured(chain, 'circle paused', 50_000_000n);
      await pauseCircle(true);
      const error: unknown = await execution(chain, 'circle paused', { amount: '1' }).catch(
        (e: unknown) => e,
      );
      await pauseCircle(false);
      expect(error).toBeInstanceOf(TransactionSubmissionError);
      expect(error).toMatchObject({ details: { aaCode: 'AA33', revertReason: 'EnforcedPause' } });
    }, 60_000);
  });

  describe('an ERC-7677 service', () => {
    it('error: it takes no permit, so a setup needs ether', async () => {
      const chain = serviceChain({ token: local.chain.usdc });
      const agentAddress = privateKeyToAccount(testKey('service gasless')).address;
      expect(await prepare(chain, 'service gasless', { amount: '1' })).toMatchObject({ gaslessSetup: null });
      const request = { chain: 'base', agentAddress, vaultId: vault.vaultId, asset: 'USDC', amount: '1' };
      const permitSignature: Hex = `0x${'11'.repeat(65)}`;
      await expect(build(chain).gaslessSetup({ ...request, permitSignature })).rejects.toMatchObject({
        code: 'SETUP_TRANSACTION_REJECTED',
        details: { failedCheck: 'permit-valid' },
      });
    });

    it('default: one that pays leaves the wallet all of its USDC, and is allowed none', async () => {
      const chain = serviceChain({ sponsorshipPolicyId: 'sp_local' });
      const owner = await configured(chain, 'sponsored', 25_000_000n);
      expect(await allowance(owner, servicePaymaster)).toBe(0n);
      const deposit = await execution(chain, 'sponsored', { amount: '25' });
      expect(deposit.gasQuote).toEqual({ token: chain.usdc, maxAmount: '0', expectedAmount: '0' });
      expect(deposit.costs).toEqual({ gasUsd: 0, exitGasUsd: 0, breakEvenDays: 0 });
      expect(deposit.summary).toContain('Gas is paid by the service.');
      await run(chain, 'sponsored', deposit);
      expect(await balance(chain.usdc, owner)).toBe(0n);
      expect(await allowance(owner, servicePaymaster)).toBe(0n);

      const redeem = await execution(chain, 'sponsored', { operation: 'redeem', percentage: 100 });
      const hooks = decodeAccountCall(redeem.calldata);
      expect(hooks).toEqual([expect.objectContaining({ hook: 'redeem' })]);
      await run(chain, 'sponsored', redeem);
      expect(await balance(vault.vaultAddress, owner)).toBe(0n);
    }, 60_000);

    it('default: one that takes USDC has its quote kept back', async () => {
      terms.tokenPerNative = 2_800_000_000n;
      const chain = serviceChain({ token: local.chain.usdc });
      const owner = await configured(chain, 'service token', 50_000_000n);
      const deposit = await execution(chain, 'service token', { amount: '5' });
      const receipt = await run(chain, 'service token', deposit);
      const prefund = prefundOf(receipt, owner, servicePaymaster);
      expect(prefund).toBeGreaterThan(0n);
      expect(prefund).toBeLessThanOrEqual(BigInt(deposit.gasQuote.maxAmount));
      expect(prefund * 110n).toBeGreaterThan(BigInt(deposit.gasQuote.maxAmount) * 100n);
      expect(await balance(chain.usdc, owner)).toBeGreaterThanOrEqual(45_000_000n - prefund);
    }, 60_000);

    it('default: the intent never outlives the service’s signature', async () => {
      const chain = serviceChain();
      await configured(chain, 'service window', 25_000_000n);
      terms.validForSeconds = 240;
      const asked = Math.floor(Date.now() / 1000);
      const { intentEnvelope } = await execution(chain, 'service window', { amount: '1' });
      expect(intentEnvelope.expiry).toBeGreaterThanOrEqual(asked + 240);
      expect(intentEnvelope.expiry).toBeLessThanOrEqual(asked + 250);
      terms.validForSeconds = 120;
      await refused(execution(chain, 'service window', { amount: '1' }));
    }, 60_000);

    it('behavior: stub, estimate, final data; a setup asks for none', async () => {
      const chain = serviceChain();
      const before = service.calls.length;
      await configured(chain, 'service calls', 25_000_000n);
      expect(service.calls.slice(before)).toEqual([]);
      const { intentEnvelope } = await execution(chain, 'service calls', { amount: '1' });
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
    }, 60_000);

    it('attack: a service that signs for something else', async () => {
      const chain = serviceChain();
      await configured(chain, 'service attack', 25_000_000n);
      const honest = { ...service.handlers };
      const data = honest['pm_getPaymasterData']!;
      const faults: Record<string, (params: readonly unknown[]) => unknown> = {
        'another limit': ([userOp, ...rest]) =>
          data([{ ...(userOp as object), paymasterPostOpGasLimit: '0x1' }, ...rest]),
        'another limit, and says so': async (params) => ({
          ...((await data(params)) as object),
          paymasterPostOpGasLimit: '0x1',
        }),
        'another call': ([userOp, ...rest]) => data([{ ...(userOp as object), callData: '0x12' }, ...rest]),
        'another paymaster': async (params) => ({
          ...((await data(params)) as object),
          paymaster: circlePaymaster,
        }),
        nobody: () => ({ paymaster: servicePaymaster, paymasterData: `0x${'11'.repeat(93)}` }),
        'bytes that it does not understand': () => ({ paymaster: servicePaymaster, paymasterData: '0x11' }),
      };
      for (const fault of Object.values(faults)) {
        service.handlers['pm_getPaymasterData'] = fault;
        await refused(execution(chain, 'service attack', { amount: '1' }));
      }
      Object.assign(service.handlers, honest);
      await run(chain, 'service attack', await execution(chain, 'service attack', { amount: '1' }));
    }, 60_000);

    it('attack: a service that signs for more than it quotes, or that does not pay after all', async () => {
      terms.tokenPerNative = 2_800_000_000n;
      const priced = serviceChain({ token: local.chain.usdc });
      await configured(priced, 'service greed', 25_000_000n);
      const { pimlico_getTokenQuotes: quotes } = service.handlers;
      service.handlers['pimlico_getTokenQuotes'] = async (params) => {
        const {
          quotes: [quote],
        } = (await quotes!(params)) as { quotes: object[] };
        return { quotes: [{ ...quote, exchangeRate: numberToHex(2_500_000_000n) }] };
      };
      await refused(execution(priced, 'service greed', { amount: '1' }));
      service.handlers['pimlico_getTokenQuotes'] = quotes!;
      await refused(execution(serviceChain(), 'service greed', { amount: '1' }));
      expect(
        BigInt((await execution(priced, 'service greed', { amount: '1' })).gasQuote.maxAmount),
      ).toBeGreaterThan(0n);
    }, 60_000);

    it('attack: a service that asks for too little gas', async () => {
      terms.tokenPerNative = 2_800_000_000n;
      const chain = serviceChain({ token: local.chain.usdc });
      await configured(chain, 'service gas', 25_000_000n);
      const { pm_getPaymasterStubData: stubData } = service.handlers;
      service.handlers['pm_getPaymasterStubData'] = (params) => ({
        ...(stubData!(params) as object),
        paymasterVerificationGasLimit: undefined,
      });
      await refused(execution(chain, 'service gas', { amount: '1' }));
      service.handlers['pm_getPaymasterStubData'] = stubData!;
    }, 60_000);

    it('error: UpstreamUnavailableError while it is down, or says no price', async () => {
      const chain = serviceChain({ token: local.chain.usdc });
      await configured(chain, 'service down', 25_000_000n);
      const { pimlico_getTokenQuotes: quotes } = service.handlers;
      delete service.handlers['pimlico_getTokenQuotes'];
      await refused(execution(chain, 'service down', { amount: '1' }));
      service.handlers['pimlico_getTokenQuotes'] = quotes!;
      service.setFault('http-500');
      await refused(execution(chain, 'service down', { amount: '1' }));
      service.setFault(undefined);
      expect((await execution(chain, 'service down', { amount: '1' })).summary).toContain('USDC');
    }, 60_000);
  });
});
