import { entryPointV08Abi } from '@yield-vault/contracts';
import { nonceKey } from '@yield-vault/smart-account';
import { RpcFailure, startFakeRpc, type FakeRpc } from '@yield-vault/testing';
import {
  createClient,
  custom,
  encodeAbiParameters,
  encodeEventTopics,
  keccak256,
  numberToHex,
  parseAbiParameters,
  type Hex,
} from 'viem';
import { addressBook, local, ofCircle, ofService, vault } from '../../test/support/book.js';
import { buildPrepared, now, wallet } from '../../test/support/build-prepared.js';
import { nodeReads } from '../../test/support/node-reads.js';
import { describeEnvelope } from '../verify/verify-envelope.js';
import { accepted } from '../verify/result.js';
import { NodeFailedError } from '../errors.js';
import type { NodeAccess } from './open-node.js';
import { createWalletNode } from './wallet-node.js';

const verified = accepted(describeEnvelope(buildPrepared(), { addressBook }));
const txHash = keccak256('0x01');
const key = nonceKey(local.validator) << 64n;
const latest = 5_000n;

/** The event of an operation of the wallet, with the nonce of the intent unless another is given. */
const eventOf = (userOpHash: Hex, success = true, sequence = 7n, block = 4_999n) => ({
  address: local.entryPoint,
  topics: encodeEventTopics({
    abi: entryPointV08Abi,
    eventName: 'UserOperationEvent',
    args: { userOpHash, sender: wallet, paymaster: vault },
  }),
  data: encodeAbiParameters(parseAbiParameters('uint256, bool, uint256, uint256'), [
    key | sequence,
    success,
    1n,
    250_000n,
  ]),
  blockNumber: numberToHex(block),
  transactionHash: txHash,
  transactionIndex: '0x0',
  logIndex: '0x0',
  blockHash: txHash,
  removed: false,
});

describe('outcomeOf', () => {
  let rpc: FakeRpc;
  let logs: { readonly blockNumber: Hex }[];
  let sequence: bigint;
  let timestamp: number;
  let searched: number;

  beforeAll(async () => {
    rpc = await startFakeRpc({
      eth_getBlockByNumber: ([block]) => {
        const number = block === 'latest' ? latest : BigInt(block as Hex);
        // A block each second.
        return {
          number: numberToHex(number),
          timestamp: numberToHex(BigInt(timestamp) - latest + number),
          transactions: [],
        };
      },
      eth_call: () => numberToHex(key | sequence, { size: 32 }),
      // As public nodes do, it searches no more than 1000 blocks at once, the first and the last among them.
      eth_getLogs: ([filter]) => {
        const { fromBlock, toBlock } = filter as Record<'fromBlock' | 'toBlock', Hex>;
        const range = Number(toBlock) - Number(fromBlock) + 1;
        searched += range;
        if (range > 1_000) throw new RpcFailure(-32_600, 'block range too large');
        const isWithin = (block: Hex) =>
          Number(block) >= Number(fromBlock) && Number(block) <= Number(toBlock);
        return logs.filter(({ blockNumber }) => isWithin(blockNumber));
      },
    });
  });
  afterAll(() => rpc.stop());
  beforeEach(() => ([logs, sequence, timestamp, searched] = [[], 7n, now, 0]));

  const outcome = () => createWalletNode(rpc.rpcUrl).outcomeOf(verified);

  it('default: nothing while the nonce is unused and the intent has not expired', async () => {
    timestamp = now + 600;
    expect(await outcome()).toEqual({ kind: 'open' });
    expect(searched).toBe(0);
  });

  it.each([true, false])('behavior: included, success %s', async (success) => {
    [logs, sequence] = [[eventOf(keccak256('0x02'), true, 6n), eventOf(verified.userOpHash, success)], 8n];
    expect(await outcome()).toEqual({
      kind: 'included',
      success,
      txHash,
      blockNumber: 4_999n,
      gasUsed: 250_000n,
    });
    expect(searched).toBe(1_000);
  });

  it('behavior: found as far back as the intent may have been signed, and no further', async () => {
    [logs, sequence, timestamp] = [[eventOf(verified.userOpHash, true, 7n, 1_500n)], 8n, now + 600];
    expect(await outcome()).toMatchObject({ kind: 'included', blockNumber: 1_500n });
    expect(searched).toBe(4_000);
    [logs, timestamp] = [[], now - 2_500];
    expect(await outcome()).toEqual({ kind: 'unknown' });
    expect(searched).toBe(4_000 + 1_000);
  });

  it('behavior: never, when another operation used its nonce, with the transaction of that', async () => {
    [logs, sequence] = [[eventOf(keccak256('0x02'))], 8n];
    expect(await outcome()).toEqual({ kind: 'never', why: 'NONCE_USED', txHash });
  });

  it('behavior: never, when a block is past its expiry and the nonce unused, without a search', async () => {
    timestamp = now + 601;
    expect(await outcome()).toEqual({ kind: 'never', why: 'EXPIRED' });
    expect(searched).toBe(0);
  });

  it('behavior: no outcome for a nonce used by an operation that the node does not show, expired or not', async () => {
    [sequence, timestamp] = [8n, now + 601];
    expect(await outcome()).toEqual({ kind: 'unknown' });
  });
});

describe('access', () => {
  const down = custom({ request: () => Promise.reject(new Error('down')) }, { retryCount: 0 });

  it.each<[string, NodeAccess]>([
    ['a transport', down],
    ['a client', createClient({ transport: down })],
  ])('error: %s whose node fails', async (_, access) => {
    await expect(createWalletNode(access).etherOf(wallet)).rejects.toThrow(NodeFailedError);
  });

  it('default: a transport, a client', async () => {
    const transport = custom({ request: () => Promise.resolve('0x5') });
    for (const access of [transport, createClient({ transport })])
      expect(await createWalletNode(access).etherOf(wallet)).toBe(5n);
  });
});

describe('readGasLimits', () => {
  let rpc: FakeRpc;
  let etherPrice: bigint;
  beforeAll(async () => {
    rpc = await startFakeRpc(nodeReads(() => ({ gasPrice: 200n, etherPrice, l1FeeWei: 30n })));
  });
  afterAll(() => rpc.stop());
  beforeEach(() => void (etherPrice = 2_500_120_000n));

  const fees = { maxFeePerGas: 600n, maxPriorityFeePerGas: 300n };

  it.each([
    ['our paymaster, a tenth above its price', local, 2_750.132],
    ["Circle's paymaster", ofCircle, 2_750.132],
    ['the paymaster of a service, which shows no price', ofService, undefined],
  ])('default: %s', async (_, deployment, maxEthUsd) => {
    expect(await createWalletNode(rpc.rpcUrl).readGasLimits(deployment)).toEqual({ ...fees, maxEthUsd });
  });

  it('behavior: the L1 fee of a chain of the OP stack', async () => {
    const deployment = { ...local, l1FeeOracle: vault } as const;
    expect(await createWalletNode(rpc.rpcUrl).readGasLimits(deployment)).toMatchObject({ maxL1FeeWei: 60n });
  });

  it('behavior: no price while the paymaster has none', async () => {
    etherPrice = 0n;
    expect(await createWalletNode(rpc.rpcUrl).readGasLimits(local)).toEqual(fees);
  });
});
