import type { PaymasterService } from '@yield-vault/chains';
import { chainFacts, validationProbeAbi, validationProbeDeployedBytecode } from '@yield-vault/contracts';
import { type UserOperation } from '@yield-vault/protocol';
import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionResult,
  HttpRequestError,
  numberToHex,
  type Hex,
} from 'viem';
import { buildRequest } from '../../test/build-request.js';
import { parseValidationData, servicePaymaster } from './paymaster-service.js';
import { expectUnavailable } from '../../test/expect-error.js';

const { chain } = buildRequest();
const { paymaster } = chain.contracts;
const usdc = chainFacts(8453).usdc.address;
const fields = { paymaster, paymasterData: '0xabcd' } as const;

const operation: UserOperation = {
  sender: buildRequest().wallet,
  nonce: 1n,
  callData: '0x12',
  callGasLimit: 100_000n,
  verificationGasLimit: 60_000n,
  preVerificationGas: 50_000n,
  maxFeePerGas: 10n ** 9n,
  maxPriorityFeePerGas: 1n,
  ...fields,
  paymasterVerificationGasLimit: 80_000n,
  paymasterPostOpGasLimit: 40_000n,
  signature: '0x34',
};

const probed = (success: boolean, result: Hex, taken: bigint): Promise<{ data: Hex }> =>
  Promise.resolve({
    data: encodeFunctionResult({
      abi: validationProbeAbi,
      functionName: 'probe',
      result: [success, result, taken],
    }),
  });

const respond = (validationData: bigint, taken = 0n): Promise<{ data: Hex }> =>
  probed(true, encodeAbiParameters([{ type: 'bytes' }, { type: 'uint256' }], ['0x', validationData]), taken);

const until = (validUntil: bigint, validAfter = 0n) => (validAfter << 208n) | (validUntil << 160n);

interface ProbeCall {
  readonly to: Hex;
  readonly data: Hex;
  readonly stateOverride: unknown;
}

/** A service with given responses, for a chain whose paymaster has given responses. */
function build({
  service = {},
  validation = () => respond(until(1_790_002_900n)),
  context = {},
}: {
  service?: Partial<PaymasterService>;
  validation?: (call: ProbeCall) => Promise<{ data: Hex }>;
  context?: Record<string, string>;
} = {}) {
  const faked: PaymasterService = {
    stubData: () => Promise.resolve({ ...fields, isFinal: false }),
    data: () => Promise.resolve({ paymaster, paymasterData: '0xef' }),
    tokenQuote: () =>
      Promise.resolve({ paymaster, token: usdc, exchangeRate: 3_000_000_000n, postOpGas: 50_000n }),
    ...service,
  };
  const config = { kind: 'erc7677', url: 'http://127.0.0.1:1', context } as const;
  const rpc = { call: validation } as unknown as typeof chain.rpc;
  return servicePaymaster({ ...chain, rpc, paymaster: config }, faked);
}

const stub = { fields, isFinal: false };

const foreign = '0x1111111111111111111111111111111111111111';

const pack = (authorizer: bigint, validUntil: bigint, validAfter: bigint) =>
  authorizer | (validUntil << 160n) | (validAfter << 208n);

describe('servicePaymaster', () => {
  it('default: a service without a token takes nothing', async () => {
    const { charge, validUntil, operationCeiling } = await build().terms();
    expect(charge({ gas: 10n ** 9n, feePerGas: 10n ** 12n, postOpGasLimit: 10n ** 6n })).toBe(0n);
    expect([validUntil, operationCeiling]).toEqual([Infinity, 0n]);
  });

  it('default: a service with a token takes its quote, rounded up', async () => {
    const { charge } = await build({ context: { token: usdc } }).terms();
    // (450 000 + 50 000) gas at 1 gwei and 3000 USDC for one ether.
    expect(charge({ gas: 450_000n, feePerGas: 10n ** 9n, postOpGasLimit: 0n })).toBe(1_500_000n);
    expect(charge({ gas: 0n, feePerGas: 1n, postOpGasLimit: 0n })).toBe(1n);
  });

  it('default: final data, and until when the paymaster takes it', async () => {
    const asked: UserOperation[] = [];
    const calls: ProbeCall[] = [];
    const service = {
      data: (userOp: UserOperation) => {
        asked.push(userOp);
        return Promise.resolve({ paymaster, paymasterData: '0xef' as const });
      },
    };
    const validation = (call: ProbeCall) => {
      calls.push(call);
      return respond(until(1_790_002_900n, 1_790_002_800n));
    };
    expect(await build({ service, validation }).data(operation, stub, 5n)).toEqual({
      paymasterData: '0xef',
      validUntil: 1_790_002_900,
      validAfter: 1_790_002_800,
    });
    expect(asked).toEqual([operation]);
    // As the entry point calls it, with the signed data.
    expect(calls).toMatchObject([
      {
        to: chain.entryPoint,
        stateOverride: [{ address: chain.entryPoint, code: validationProbeDeployedBytecode }],
      },
    ]);
    const packed = concatHex([
      paymaster,
      numberToHex(80_000n, { size: 16 }),
      numberToHex(40_000n, { size: 16 }),
      '0xef',
    ]);
    expect(calls[0]?.data.toLowerCase()).toContain(packed.slice(2).toLowerCase());
  });

  it('behavior: final data is not requested again', async () => {
    const service = { data: () => Promise.reject(new Error('asked')) };
    const sealed = await build({ service }).data(operation, { fields, isFinal: true }, 5n);
    expect(sealed.paymasterData).toBe('0xabcd');
  });

  it('behavior: the stub sees an operation without paymaster', async () => {
    const asked: UserOperation[] = [];
    const service = {
      stubData: (userOp: UserOperation) => {
        asked.push(userOp);
        return Promise.resolve({ ...fields, paymasterPostOpGasLimit: 70_000n, isFinal: true });
      },
    };
    const draft = { ...operation, paymaster: undefined, paymasterData: undefined };
    expect(await build({ service }).stub(draft)).toEqual({
      fields: { ...fields, paymasterPostOpGasLimit: 70_000n },
      isFinal: true,
    });
    expect(asked[0]).not.toHaveProperty('paymasterVerificationGasLimit');
    expect(asked[0]).not.toHaveProperty('paymasterPostOpGasLimit');
  });

  it('attack: a response for another paymaster than the one that is trusted', async () => {
    const other = { paymaster: foreign, paymasterData: '0xef' } as const;
    const quote = { paymaster: foreign, token: usdc, exchangeRate: 1n, postOpGas: 0n } as const;
    await expectUnavailable(
      build({ service: { stubData: () => Promise.resolve({ ...other, isFinal: true }) } }).stub(operation),
    );
    await expectUnavailable(
      build({ service: { data: () => Promise.resolve(other) } }).data(operation, stub, 5n),
    );
    const quoting = { tokenQuote: () => Promise.resolve(quote) };
    await expectUnavailable(build({ service: quoting, context: { token: usdc } }).terms());
  });

  it.each([
    ['verification', { paymasterVerificationGasLimit: 80_001n }],
    ['postOp', { paymasterPostOpGasLimit: 39_999n }],
  ])('attack: another limit for %s after the estimate', async (_, limits) => {
    const data = () => Promise.resolve({ paymaster, paymasterData: '0xef' as const, ...limits });
    await expectUnavailable(build({ service: { data } }).data(operation, stub, 5n));
  });

  it('attack: the paymaster takes more than the service quotes', async () => {
    const taking = (taken: bigint) => () => respond(until(1_790_002_900n), taken);
    await expectUnavailable(build({ validation: taking(6n) }).data(operation, stub, 5n));
    expect(await build({ validation: taking(5n) }).data(operation, stub, 5n)).toBeDefined();
  });

  it.each([
    ['a wrong signature', () => respond(until(1_790_002_900n) | 1n)],
    ['a revert', () => probed(false, '0xd93c0665', 0n)],
    ['bytes that are no response', () => probed(true, '0x12', 0n)],
    ['nothing', () => Promise.resolve({ data: '0x' as const })],
  ])('error: UpstreamUnavailableError when the paymaster responds with %s', async (_, validation) => {
    await expectUnavailable(build({ validation }).data(operation, stub, 5n));
  });

  it('error: UpstreamUnavailableError when the node is down', async () => {
    const validation = () => Promise.reject(new HttpRequestError({ url: 'http://127.0.0.1:1', status: 500 }));
    await expectUnavailable(build({ validation }).data(operation, stub, 5n), 'rpc:base');
  });
});

describe('parseValidationData', () => {
  it('default', () => {
    expect(parseValidationData(pack(0n, 1_790_000_600n, 1_790_000_000n))).toEqual({
      validUntil: 1_790_000_600,
      validAfter: 1_790_000_000,
    });
  });

  it('behavior: an end of zero is none', () => {
    expect(parseValidationData(0n)).toEqual({ validUntil: Infinity, validAfter: 0 });
  });

  it('behavior: a wrong signature and an aggregator are refusals', () => {
    expect(parseValidationData(pack(1n, 1_790_000_600n, 0n))).toBeUndefined();
    expect(parseValidationData(pack(2n ** 159n, 0n, 0n))).toBeUndefined();
  });
});
