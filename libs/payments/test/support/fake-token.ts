import { UpstreamUnavailableError } from '@yield-vault/protocol';
import {
  encodeAbiParameters,
  encodeEventTopics,
  getAddress,
  keccak256,
  parseAbi,
  type Address,
  type Hex,
  type Log,
} from 'viem';
import { alreadyUsed } from '../../src/adapters/reasons.js';
import type { Facilitator } from '../../src/ports.js';
import type { Payment, PaymentChain } from '../../src/types.js';
import { buildChain } from './build-chain.js';

const abi = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

/** Behaviour of the facilitator on settle. */
export type SettleMode = 'pay' | 'pay and time out' | 'time out' | 'refuse' | 'hold';

/** A token in memory with a facilitator for it: it pays, falls silent before or after it paid, refuses, or holds. */
export function createFakeToken() {
  const used = new Map<string, { readonly payment: Payment; readonly transaction: Hex }>();
  const canceled = new Set<string>();
  const held = new Map<string, Payment>();
  const calls = { verify: 0, settle: 0 };
  const payer: { paid: number } = { paid: 0 };
  let mode: SettleMode = 'pay';
  let timestamp = BigInt(Math.floor(Date.now() / 1000));
  const idOf = (from: Address, nonce: Hex) => `${getAddress(from)} ${nonce}`;
  const silent = () =>
    new UpstreamUnavailableError({
      detail: 'facilitator: it gives no usable response.',
      details: { dependency: 'facilitator' },
      retryAfterSeconds: 5,
    });

  /** Carry an authorization out, as anybody can. */
  function pay(payment: Payment): Hex {
    const { from, nonce } = payment.authorization;
    const id = idOf(from, nonce);
    if (used.has(id) || canceled.has(id)) throw new Error('FiatTokenV2: authorization is used or canceled');
    const transaction = keccak256(nonce);
    used.set(id, { payment, transaction });
    held.delete(id);
    payer.paid++;
    return transaction;
  }

  const facilitator: Facilitator = {
    verify: ({ authorization: { from, nonce } }) => {
      calls.verify++;
      const id = idOf(from, nonce);
      return Promise.resolve(used.has(id) || canceled.has(id) ? alreadyUsed : undefined);
    },
    async settle(payment) {
      calls.settle++;
      await Promise.resolve();
      const { from, nonce } = payment.authorization;
      const id = idOf(from, nonce);
      if (mode === 'time out') throw silent();
      if (mode === 'refuse') return { kind: 'refused', reason: 'invalid_exact_evm_insufficient_balance' };
      if (used.has(id) || canceled.has(id)) return { kind: 'refused', reason: alreadyUsed };
      if (mode === 'hold') {
        held.set(id, payment);
        throw silent();
      }
      const transaction = pay(payment);
      if (mode === 'pay and time out') throw silent();
      return { kind: 'settled', transaction };
    },
    inspect: () => Promise.resolve({ problems: [], warnings: [] }),
  };

  const chain: PaymentChain = buildChain({
    rpc: {
      getBlock: () => Promise.resolve({ number: 100n, timestamp }),
      readContract: ({ args: [from, nonce] }: { args: [Address, Hex] }) =>
        Promise.resolve(used.has(idOf(from, nonce)) || canceled.has(idOf(from, nonce))),
      getLogs: ({ event, args }: { event: { name: string }; args: { authorizer: Address; nonce: Hex } }) => {
        const id = idOf(args.authorizer, args.nonce);
        const transaction = used.get(id)?.transaction;
        if (event.name === 'AuthorizationUsed')
          return Promise.resolve(
            transaction ? [{ eventName: event.name, transactionHash: transaction, logIndex: 0 }] : [],
          );
        return Promise.resolve(canceled.has(id) ? [{ eventName: event.name }] : []);
      },
      getTransactionReceipt: ({ hash }: { hash: Hex }) => {
        const found = [...used.values()].find(({ transaction }) => transaction === hash);
        if (!found) throw new Error('no such transaction');
        return Promise.resolve({ logs: logsOf(found.payment) });
      },
    } as unknown as PaymentChain['rpc'],
  });

  return {
    chain,
    facilitator,
    calls,
    /** How many transfers there were. */
    paid: () => payer.paid,
    pay,
    cancel: ({ authorization: { from, nonce } }: Payment) => canceled.add(idOf(from, nonce)),
    /** Mine the held transactions. */
    mineHeld: () => [...held.values()].forEach(pay),
    setMode: (next: SettleMode) => (mode = next),
    setTime: (seconds: bigint) => (timestamp = seconds),
  };
}

function logsOf({ authorization, terms }: Payment): readonly Log[] {
  const { from, to, value, nonce } = authorization;
  const { address } = terms.chain.asset;
  const logs = [
    {
      topics: encodeEventTopics({ abi, eventName: 'AuthorizationUsed', args: { authorizer: from, nonce } }),
      data: '0x',
    },
    {
      topics: encodeEventTopics({ abi, eventName: 'Transfer', args: { from, to } }),
      data: encodeAbiParameters([{ type: 'uint256' }], [value]),
    },
  ];
  return logs.map((log, logIndex) => ({ ...log, address, logIndex }) as unknown as Log);
}
