import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { RpcFailure, startFakeRpc, type FakeRpc, type RpcHandler } from '@yield-vault/testing';
import { buildChainConfig } from '../../test/build-chain-config.js';
import { userOperation } from '../../test/build-user-operation.js';
import { createPaymasterService } from './create-paymaster-service.js';
import type { PaymasterService } from './paymaster-service.js';

const handlers: Record<string, RpcHandler> = {};
const config = buildChainConfig({ deadlines: { rpcMs: 500, bundlerMs: 500 } });
const context = { token: config.usdc };
const paymaster = '0x0578cFB241215b77442a541325d6A4E6dFE700Ec';
let server: FakeRpc;
let service: PaymasterService;

beforeEach(async () => {
  for (const method of Object.keys(handlers)) delete handlers[method];
  server = await startFakeRpc(handlers);
  service = createPaymasterService('base', config, { kind: 'erc7677', url: server.rpcUrl, context });
});
afterEach(() => server.stop());

describe('createPaymasterService', () => {
  it('default: stubData', async () => {
    handlers['pm_getPaymasterStubData'] = () => ({
      sponsor: { name: 'Somebody' },
      paymaster: paymaster.toLowerCase(),
      paymasterData: '0xabcd',
      paymasterPostOpGasLimit: '0x10',
    });
    expect(await service.stubData(userOperation)).toEqual({
      paymaster,
      paymasterData: '0xabcd',
      paymasterPostOpGasLimit: 16n,
      isFinal: false,
    });
    expect(server.calls[0]?.params).toEqual([
      expect.objectContaining({ nonce: '0x7', callData: '0xdeadbeef', signature: '0x1234' }),
      config.entryPoint,
      '0x2105',
      context,
    ]);
  });

  it('default: tokenQuote', async () => {
    const quote = { paymaster, token: config.usdc, exchangeRate: '0x64', postOpGas: '0x10' };
    handlers['pimlico_getTokenQuotes'] = () => ({ quotes: [{ ...quote, exchangeRateNativeToUsd: '0x1' }] });
    expect(await service.tokenQuote(config.usdc)).toEqual({ ...quote, exchangeRate: 100n, postOpGas: 16n });
    expect(server.calls[0]?.params).toEqual([{ tokens: [config.usdc] }, config.entryPoint, '0x2105']);
  });

  it('behavior: a request whose response is lost is repeated', async () => {
    handlers['pm_getPaymasterData'] = () => ({ paymaster, paymasterData: '0xabcd' });
    server.setFault('cut');
    const response = service.data(userOperation);
    setTimeout(() => server.setFault(undefined), 20);
    expect(await response).toMatchObject({ paymaster });
  });

  it('error: UpstreamUnavailableError for a refusal, without the text of the service', async () => {
    handlers['pm_getPaymasterData'] = () => {
      throw new RpcFailure(-32603, 'the balance of acme-corp is 0');
    };
    handlers['pimlico_getTokenQuotes'] = () => ({ quotes: [] });
    for (const request of [
      () => service.stubData(userOperation),
      () => service.data(userOperation),
      () => service.tokenQuote(config.usdc),
    ]) {
      const error: unknown = await request().catch((e: unknown) => e);
      expect(error).toBeInstanceOf(UpstreamUnavailableError);
      expect(error).toMatchObject({ details: { dependency: 'paymaster:base' } });
      expect((error as UpstreamUnavailableError).detail).not.toMatch(/acme|127\.0\.0\.1/);
    }
  });

  it.each([
    ['half a byte', { paymaster, paymasterData: '0xabc' }],
    [
      'a limit that is none',
      { paymaster, paymasterData: '0xabcd', paymasterPostOpGasLimit: `0x${'f'.repeat(33)}` },
    ],
    ['nothing', null],
  ])('error: UpstreamUnavailableError for a response with %s', async (_, response) => {
    handlers['pm_getPaymasterData'] = () => response;
    await expect(service.data(userOperation)).rejects.toThrow(UpstreamUnavailableError);
  });

  it('error: UpstreamUnavailableError for an outage, without the URL', async () => {
    server.setFault('cut');
    const error: unknown = await service.stubData(userOperation).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(UpstreamUnavailableError);
    expect((error as UpstreamUnavailableError).detail).not.toContain('127.0.0.1');
  });
});
