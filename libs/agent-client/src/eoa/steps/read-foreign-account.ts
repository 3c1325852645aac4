import {
  decodeAbiParameters,
  encodeFunctionData,
  parseAbi,
  parseAbiParameters,
  type Address,
  type Hex,
} from 'viem';
import type { ClaimedModules, DelegationRpc } from '../types.js';
import { isOutage } from './is-outage.js';

const abi = parseAbi([
  'function accountId() view',
  'function getValidatorsPaginated(address cursor, uint256 size) view',
  'function getExecutorsPaginated(address cursor, uint256 size) view',
]);
const text = parseAbiParameters('string');
const page = parseAbiParameters('address[] modules, address next');
// Where the lists of the ERC-7579 reference implementation begin, and how much of them is read.
const everything = ['0x0000000000000000000000000000000000000001', 32n] as const;
const accountIdPattern = /^[\x20-\x7e]{1,64}$/;

/**
 * Ask an account of somebody else's implementation what it has. It may answer anything: an answer is taken only in the
 * right shape, and each question is a call of its own, so that one cannot spoil another.
 */
export async function readForeignAccount(
  rpc: Pick<DelegationRpc, 'call'>,
  wallet: Address,
): Promise<{ readonly accountId: string | null; readonly modules: ClaimedModules | null }> {
  const ask = async <T>(data: Hex, read: (answer: Hex) => T) =>
    decoded(await callOf(rpc, wallet, data), read);
  const listOf = (answer: Hex) => decodeAbiParameters(page, answer)[0];
  const [accountId, validators, executors] = await Promise.all([
    ask(
      encodeFunctionData({ abi, functionName: 'accountId' }),
      (answer) => decodeAbiParameters(text, answer)[0],
    ),
    ask(encodeFunctionData({ abi, functionName: 'getValidatorsPaginated', args: everything }), listOf),
    ask(encodeFunctionData({ abi, functionName: 'getExecutorsPaginated', args: everything }), listOf),
  ]);
  return {
    // Whoever reads this may sit at a terminal, which control characters would command.
    accountId: accountId !== undefined && accountIdPattern.test(accountId) ? accountId : null,
    modules: validators && executors ? { validators, executors } : null,
  };
}

async function callOf(rpc: Pick<DelegationRpc, 'call'>, to: Address, data: Hex): Promise<Hex | undefined> {
  try {
    // Not through Multicall3, where one answer that burns all gas fails its neighbours.
    return (await rpc.call({ to, data, batch: false })).data;
  } catch (error) {
    if (isOutage(error)) throw error;
    return undefined;
  }
}

function decoded<T>(answer: Hex | undefined, read: (answer: Hex) => T): T | undefined {
  if (answer === undefined) return undefined;
  try {
    return read(answer);
  } catch {
    return undefined;
  }
}
