import { vaultIdOf, type GaslessSetupRequest, type PrepareResponse } from '@yield-vault/protocol';
import { delegationCode } from '@yield-vault/smart-account';
import { testAccount } from '@yield-vault/testing';
import { encodeAbiParameters, numberToHex, zeroHash, type Hex } from 'viem';
import { addressBook, local, ofCircle, stranger, vault } from '../../test/support/book.js';
import { fakeExecute } from '../../test/support/build-execution.js';
import { deposit, soon, type PreparedParts } from '../../test/support/build-prepared.js';
import { useOwnNode } from '../../test/support/own-node.js';
import {
  buildGaslessPrepared,
  buildGaslessResponse,
  type GaslessParts,
} from '../../test/support/build-gasless-setup.js';
import { ApiError } from '../errors.js';
import { describeEvent } from './events.js';
import { execute } from './execute.js';
import type { OperationRequest } from './types.js';

const account = testAccount('owner');
const requested: OperationRequest = { operation: 'deposit', vault, asset: 'USDC', amount: '25' };
const word = (value: bigint) => encodeAbiParameters([{ type: 'uint256' }], [value]);
const circle = { deployment: ofCircle };
const feeWei = 150_000n * 2_000_000_000n;
const refused = new ApiError({ status: 400, error: 'x', code: 'ALREADY_SET_UP' });

describe('a deposit of a wallet without ether', () => {
  let ether: bigint;
  let storage: (slot: bigint) => Hex;
  const own = useOwnNode({
    eth_getBalance: () => numberToHex(ether),
    eth_getTransactionCount: () => '0x7',
    eth_getStorageAt: ([, slot]) => storage(BigInt(slot as Hex)),
  });
  beforeEach(() => ([ether, own.code, storage] = [0n, '0x', () => zeroHash]));

  /** An agent, and a service that completes its setup. */
  function agentOf(parts: GaslessParts = {}, forged: PreparedParts & { value?: bigint } = {}) {
    const signed: string[] = [];
    const spied =
      <Args extends unknown[], Result>(name: string, sign: (...args: Args) => Result) =>
      (...args: Args) => {
        signed.push(name);
        return sign(...args);
      };
    const signer = {
      ...account,
      signAuthorization: spied('authorization', account.signAuthorization),
      signTransaction: spied('transaction', account.signTransaction),
      signTypedData: spied('typed data', account.signTypedData),
    } as typeof account;
    const prepare = jest.fn(() => Promise.resolve<PrepareResponse>(buildGaslessResponse(parts)));
    const gaslessSetup = jest.fn((request: GaslessSetupRequest) =>
      Promise.resolve({
        needsSetup: false,
        execution: {
          intentEnvelope: buildGaslessPrepared(request, {
            deployment: parts.deployment,
            expiry: soon(),
            ...forged,
          }),
        },
      }),
    );
    const send = fakeExecute();
    const setupRelay = jest.fn(() => Promise.reject(refused));
    const said: string[] = [];
    const endpoints = { prepare, gaslessSetup, execute: send, setupRelay };
    const agent = {
      ...own.agentOf(endpoints, (event) => said.push(...describeEvent(event))),
      signer,
      addressBook,
    };
    return { agent, prepare, gaslessSetup, send, setupRelay, signed, said };
  }

  it('default: signs the authorization, then the intent, and says first what each allows', async () => {
    const { agent, prepare, gaslessSetup, send, signed, said } = agentOf();
    const { setup, verified } = await execute(agent, requested);
    expect(setup).toEqual({ kind: 'within-deposit' });
    expect(signed).toEqual(['authorization', 'typed data']);
    expect(prepare).toHaveBeenCalledTimes(1);
    const [[request]] = gaslessSetup.mock.calls as [[GaslessSetupRequest]];
    expect(request).toEqual({
      ...{ chain: 'base', agentAddress: account.address, vaultId: vaultIdOf(8453, vault) },
      ...{ asset: 'USDC', amount: '25' },
      authorization: expect.objectContaining({ address: local.account, chainId: 8453, nonce: 7 }) as object,
    });
    const { eip7702Auth } = verified.envelope.userOps[0]!;
    expect(eip7702Auth).toEqual(request.authorization);
    expect(send).toHaveBeenCalledTimes(1);
    expect(said[0]).toBe(`delegate your wallet to ${local.account}`);
    expect(said).toContain('anybody who has the authorization can use it while your nonce is 7');
  });

  it("behavior: with Circle's paymaster the permit, too", async () => {
    const { agent, gaslessSetup, send, signed, said } = agentOf(circle);
    await execute(agent, requested);
    expect(signed).toEqual(['typed data', 'authorization', 'typed data']);
    const permitSignature: unknown = expect.any(String);
    expect(gaslessSetup.mock.calls[0]![0]).toMatchObject({ permitSignature, authorization: {} });
    expect(send).toHaveBeenCalledTimes(1);
    expect(said).toContain('anybody who has the permit can use it while your nonce of USDC is 3');
  });

  it('behavior: the permit alone where somebody else included the authorization', async () => {
    own.code = delegationCode(local.account);
    const { agent, gaslessSetup, signed, send } = agentOf({ ...circle, authorization: null });
    await execute(agent, requested);
    expect(signed).toEqual(['typed data', 'typed data']);
    expect(gaslessSetup.mock.calls[0]![0]).not.toHaveProperty('authorization');
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('behavior: by a transaction, once the wallet has twice the highest cost of its gas', async () => {
    const { agent, gaslessSetup, setupRelay, signed } = agentOf();
    ether = 2n * feeWei - 1n;
    await execute(agent, requested);
    expect([gaslessSetup, setupRelay].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
    ether += 1n;
    signed.length = 0;
    await expect(execute(agent, requested)).rejects.toBe(refused);
    expect([gaslessSetup, setupRelay].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    expect(signed).toEqual(['authorization', 'transaction']);
  });

  it.each<[string, string, GaslessParts, (() => unknown)?]>([
    ['IMPLEMENTATION_MISMATCH', 'another implementation', { authorization: { contractAddress: stranger } }],
    ['NONCE_MISMATCH', 'another nonce', { authorization: { nonce: 8 } }],
    ['NONCE_MISMATCH', 'another permit', { ...circle, message: { nonce: '4' } }],
    ['DELEGATION_MISMATCH', 'a wallet of other software', {}, () => (own.code = delegationCode(stranger))],
    [
      'SETUP_TYPE_MISMATCH',
      'removed modules',
      {},
      () => (storage = (slot) => word(slot % 32n === 5n ? 6n : 0n)),
    ],
  ])('error: %s for %s, and nothing is signed', async (reason, _, ...[parts, change]) => {
    change?.();
    const { agent, gaslessSetup, signed } = agentOf(parts);
    await expect(execute(agent, requested)).rejects.toMatchObject({ name: 'VerificationError', reason });
    expect(signed).toEqual([]);
    expect(gaslessSetup).not.toHaveBeenCalled();
  });

  it('behavior: replaces a delegation of other software where that is wanted', async () => {
    own.code = delegationCode(stranger);
    const { agent, signed } = agentOf();
    await execute({ ...agent, replaceDelegation: true }, requested);
    expect(signed).toHaveLength(2);
  });

  it.each<[string, GaslessParts, PreparedParts & { value?: bigint }]>([
    ['SIGNATURE_MISMATCH', circle, { value: 30_000_000n }],
    ['PAYMASTER_DATA_NOT_ALLOWED', {}, { operation: { paymasterData: '0x' } }],
    ['AMOUNT_MISMATCH', {}, { hooks: [{ ...deposit, amount: 26_000_000n }] }],
  ])('error: %s of the completed envelope, and no intent is signed', async (reason, parts, forged) => {
    const { agent, send, signed } = agentOf(parts, forged);
    await expect(execute(agent, requested)).rejects.toMatchObject({ reason });
    expect(signed.filter((each) => each === 'typed data')).toHaveLength(parts === circle ? 1 : 0);
    expect(send).not.toHaveBeenCalled();
  });

  it.each<[string, OperationRequest]>([
    ['a deposit that the service does not offer without ether', requested],
    ['a redeem', { operation: 'redeem', vault, asset: 'USDC', percentage: 50 }],
  ])('error: INSUFFICIENT_FUNDS for %s, and nothing is signed', async (_, request) => {
    const { agent, prepare, signed } = agentOf();
    if (request === requested)
      prepare.mockResolvedValue({ ...buildGaslessResponse(), gaslessSetup: null } as never);
    await expect(execute(agent, request)).rejects.toMatchObject({
      name: 'FlowError',
      code: 'INSUFFICIENT_FUNDS',
      message: expect.stringContaining('0.0003 ETH') as string,
    });
    expect(signed).toEqual([]);
  });
});
