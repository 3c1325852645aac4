import { canonical } from '@yield-vault/contracts';
import { localVaults } from '@yield-vault/contracts/local';
import { testAccount } from '@yield-vault/testing';
import fc from 'fast-check';
import {
  encodeFunctionData,
  erc20Abi,
  erc4626Abi,
  pad,
  parseEther,
  parseGwei,
  type Address,
  type Hex,
} from 'viem';
import type { SignedAuthorization, SimulatedCall } from '../../src/types.js';
import { tiny } from '../support/tiny-contracts.js';

export const chainId = 8453;
export const usdc = canonical.usdc[chainId];
export const vault = localVaults[chainId].find(({ kind, asset }) => kind === 'steady' && asset === 'USDC')!;

/** Send calls; each has ETH, USDC and shares. */
export const senders = ['one', 'two', 'three'].map((name) => testAccount(`parity sender ${name}`));
/** Sign authorizations only. */
const authorities = ['four', 'five'].map((name) => testAccount(`parity authority ${name}`));

/** Something that a sender does. */
export type Deed = { readonly from: number; readonly paysFees: boolean } & (
  | { readonly kind: 'transfer' | 'approve'; readonly to: number; readonly amount: bigint }
  | { readonly kind: 'transferFrom'; readonly owner: number; readonly amount: bigint }
  | { readonly kind: 'deposit' | 'redeem'; readonly amount: bigint }
  | { readonly kind: 'count'; readonly amount: bigint }
  | { readonly kind: 'revert' | 'invalid' }
  | { readonly kind: 'loop' | 'starve'; readonly gas: number }
  | { readonly kind: 'pay'; readonly to: number; readonly amount: bigint }
  | {
      readonly kind: 'authorize';
      /** Among the authorities; beyond them the sender itself. */
      readonly authority: number;
      readonly nonceOffset: number;
      readonly chainId: number;
    }
);

const person = fc.nat(senders.length - 1);
const units = fc.oneof(fc.constant(0n), fc.bigInt(1n, 100_000_000n), fc.bigInt(900_000_000n, 3_000_000_000n));
// The vault writes down when it was used last: where nothing else changes, the second decides what that costs.
const someUnits = units.map((amount) => (amount === 0n ? 1n : amount));
const who = { from: person, paysFees: fc.boolean() };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ ...who, kind: fc.constantFrom('transfer', 'approve'), to: person, amount: units }),
  fc.record({ ...who, kind: fc.constant('transferFrom'), owner: person, amount: units }),
  fc.record({ ...who, kind: fc.constantFrom('deposit', 'redeem'), amount: someUnits }),
  fc.record({ ...who, kind: fc.constant('count'), amount: fc.bigInt(0n, 5n) }),
  fc.record({ ...who, kind: fc.constantFrom('revert', 'invalid') }),
  // Enough to begin, and in part too little to end.
  fc.record({
    ...who,
    kind: fc.constantFrom('loop', 'starve'),
    gas: fc.integer({ min: 25_000, max: 70_000 }),
  }),
  fc.record({ ...who, kind: fc.constant('pay'), to: person, amount: fc.bigInt(0n, parseEther('1')) }),
  fc.record({
    ...who,
    kind: fc.constant('authorize'),
    authority: fc.nat(authorities.length),
    nonceOffset: fc.constantFrom(0, 0, 1),
    chainId: fc.constantFrom(chainId, chainId, 0, 1),
  }),
) as fc.Arbitrary<Deed>;

/** Lists of deeds. */
export const deeds = fc.array(deed, { minLength: 1, maxLength: 7 });

/** Calls, and what is known of their results beforehand. */
export interface PlannedCalls {
  readonly calls: readonly SimulatedCall[];
  /** By index of the call: the length of the authority's code that the call must have seen. */
  readonly codeSizes: ReadonlyMap<number, bigint>;
}

/** Write deeds as calls. Nonces count on from those of a chain on which nobody has sent anything. */
export async function planCalls(
  list: readonly Deed[],
  nonceOf: (address: Address) => number,
): Promise<PlannedCalls> {
  const nonces = new Map([...senders, ...authorities].map(({ address }) => [address, nonceOf(address)]));
  const delegated = new Set<Address>();
  const codeSizes = new Map<number, bigint>();
  const use = (address: Address): void => void nonces.set(address, (nonces.get(address) ?? 0) + 1);

  const authorize = async (index: number, todo: Extract<Deed, { kind: 'authorize' }>) => {
    const authority = authorities[todo.authority] ?? senders[todo.from]!;
    const { address } = authority;
    const signed = await authority.signAuthorization({
      address: tiny.counter.address,
      chainId: todo.chainId,
      nonce: (nonces.get(address) ?? 0) + todo.nonceOffset,
    });
    if (todo.nonceOffset === 0 && todo.chainId !== 1) {
      use(address);
      delegated.add(address);
    }
    codeSizes.set(index, delegated.has(address) ? delegationBytes : 0n);
    const { r, s, yParity, nonce } = signed;
    const authorization: SignedAuthorization = {
      ...{ r, s, nonce, yParity: yParity ?? 0 },
      ...{ address: tiny.counter.address, chainId: todo.chainId },
    };
    return { to: tiny.codeSize.address, data: pad(address), authorizationList: [authorization] };
  };

  const calls: SimulatedCall[] = [];
  for (const [index, todo] of list.entries()) {
    const from = senders[todo.from]!.address;
    // The transaction counts before its authorizations do.
    use(from);
    const what = todo.kind === 'authorize' ? await authorize(index, todo) : plainCall(todo, from);
    calls.push({ from, ...fees(todo), gas: 600_000n, ...what });
  }
  return { calls, codeSizes };
}

const delegationBytes = 23n;

const fees = ({ paysFees }: Deed) =>
  paysFees ? { maxFeePerGas: parseGwei('20'), maxPriorityFeePerGas: parseGwei('1') } : {};

function plainCall(
  todo: Exclude<Deed, { kind: 'authorize' }>,
  from: Address,
): Pick<SimulatedCall, 'to' | 'data' | 'value' | 'gas'> {
  const token = (data: Hex) => ({ to: usdc, data });
  switch (todo.kind) {
    case 'transfer':
      return token(write('transfer', [address(todo.to), todo.amount]));
    case 'approve':
      return token(write('approve', [address(todo.to), todo.amount]));
    case 'transferFrom':
      return token(write('transferFrom', [address(todo.owner), from, todo.amount]));
    case 'starve':
      return { ...token(write('transfer', [address(0), 1n])), gas: BigInt(todo.gas) };
    case 'deposit':
      return { to: vault.address, data: writeVault('deposit', [todo.amount, from]) };
    case 'redeem':
      return { to: vault.address, data: writeVault('redeem', [todo.amount, from, from]) };
    case 'count':
      return { to: tiny.counter.address, data: pad(`0x${todo.amount.toString(16)}`) };
    case 'revert':
      return { to: tiny.reverter.address, data: '0x' };
    case 'invalid':
      return { to: tiny.invalid.address, data: '0x', gas: 60_000n };
    case 'loop':
      return { to: tiny.loop.address, data: '0x', gas: BigInt(todo.gas) };
    case 'pay':
      return { to: address(todo.to), data: '0x', value: todo.amount };
  }
}

const address = (index: number): Address => senders[index]!.address;
const write = (functionName: 'transfer' | 'approve' | 'transferFrom', args: readonly unknown[]) =>
  encodeFunctionData({ abi: erc20Abi, functionName, args } as Parameters<typeof encodeFunctionData>[0]);
const writeVault = (functionName: 'deposit' | 'redeem', args: readonly unknown[]) =>
  encodeFunctionData({ abi: erc4626Abi, functionName, args } as Parameters<typeof encodeFunctionData>[0]);
