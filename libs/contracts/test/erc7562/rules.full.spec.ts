import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  numberToHex,
  pad,
  parseEther,
  slice,
} from 'viem';
import { breakingAccountAbi, breakingAccountBytecode } from '../generated/BreakingAccount.js';
import { breakingPaymasterAbi, breakingPaymasterBytecode } from '../generated/BreakingPaymaster.js';
import { clockFeedAbi, clockFeedBytecode } from '../generated/ClockFeed.js';
import { feedReaderAbi, feedReaderBytecode } from '../generated/FeedReader.js';
import { otherStorageAbi, otherStorageBytecode } from '../generated/OtherStorage.js';
import { buildUserOp, delegate, usdcPaymasterAndData } from '../support/account.js';
import { handleOps } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { entryPoint, useTestChain } from '../support/chain.js';
import { placeCode } from '../support/vaults.js';
import { checkTrace } from './check-trace.js';

/** Code that runs one opcode, by the rule that the opcode breaks. */
const opcodes: readonly (readonly [rule: string, opcode: string, code: Hex])[] = [
  ['OP-011', 'ORIGIN', '0x32'],
  ['OP-011', 'GASPRICE', '0x3a'],
  ['OP-011', 'BLOCKHASH', '0x5f40'],
  ['OP-011', 'COINBASE', '0x41'],
  ['OP-011', 'TIMESTAMP', '0x42'],
  ['OP-011', 'NUMBER', '0x43'],
  ['OP-011', 'PREVRANDAO', '0x44'],
  ['OP-011', 'GASLIMIT', '0x45'],
  ['OP-011', 'BASEFEE', '0x48'],
  ['OP-011', 'BLOBHASH', '0x5f49'],
  ['OP-011', 'BLOBBASEFEE', '0x4a'],
  ['OP-011', 'CREATE', '0x5f5f5ff0'],
  ['OP-011', 'INVALID', '0xfe'],
  ['OP-011', 'SELFDESTRUCT', '0x5fff'],
  ['OP-012', 'GAS', '0x5a'],
  ['OP-013', 'an unassigned one', '0x0c'],
  ['OP-031', 'CREATE2', '0x5f5f5f5ff5'],
  ['OP-080', 'BALANCE', '0x5f31'],
  ['OP-080', 'SELFBALANCE', '0x47'],
];

type Deed = 'calls' | 'delegatesTo' | 'sendsValue' | 'readsCodeSize' | 'runsOutOfGas' | 'runsOutOfGasInStore';
type Touch = 'depositsTo' | 'asksEntryPoint' | 'incrementsNonce' | 'readsOwn' | 'readsOwnOf' | 'writesOwn';
type Storage = 'readsOther' | 'writesOther' | 'readsOf' | 'writesOf' | 'writesAt';
type Role = 'account' | 'paymaster';
/** Whom a deed is about; a precompile by its number; or the code at an address of its own. */
type Target =
  'entry point' | 'wallet' | 'own' | 'paymaster' | 'nobody' | 'somebody' | 'delegated' | number | Hex;

/** What an entity does in its phase: the rule that it breaks, if any, without and with a stake of the paymaster. */
const deeds: readonly (readonly [
  role: Role,
  deed: Deed | Touch | Storage,
  target: Target,
  unstaked: string | undefined,
  staked: string | undefined,
])[] = [
  ['paymaster', 'runsOutOfGas', 'own', 'OP-020', 'OP-020'],
  ['account', 'runsOutOfGasInStore', 'own', 'OP-020', 'OP-020'],
  ['paymaster', 'readsCodeSize', 'somebody', undefined, undefined],
  ['paymaster', 'readsCodeSize', 'nobody', 'OP-041', 'OP-041'],
  ['account', 'calls', 'nobody', 'OP-041', 'OP-041'],
  ['paymaster', 'readsCodeSize', 'entry point', 'OP-051', 'OP-051'],
  ['account', 'depositsTo', 'wallet', undefined, undefined],
  ['account', 'depositsTo', 'somebody', 'OP-052', 'OP-052'],
  ['paymaster', 'depositsTo', 'wallet', 'OP-052', 'OP-052'],
  ['account', 'sendsValue', 'entry point', undefined, undefined],
  ['paymaster', 'sendsValue', 'entry point', 'OP-053', 'OP-053'],
  ['account', 'asksEntryPoint', 'wallet', 'OP-054', 'OP-054'],
  ['paymaster', 'asksEntryPoint', 'wallet', 'OP-054', 'OP-054'],
  ['account', 'incrementsNonce', 'own', undefined, undefined],
  ['paymaster', 'incrementsNonce', 'own', 'OP-055', 'OP-055'],
  ['account', 'sendsValue', 'somebody', 'OP-061', 'OP-061'],
  ['account', 'calls', 2, undefined, undefined],
  ['account', 'calls', 0x12, 'OP-062', 'OP-062'],
  ['paymaster', 'delegatesTo', '0x47', 'OP-080', undefined],
  ['account', 'writesOwn', 'own', undefined, undefined],
  ['account', 'readsOf', 'wallet', undefined, undefined],
  ['account', 'writesOf', 'wallet', undefined, undefined],
  ['account', 'readsOf', 'somebody', 'STO-021', 'STO-021'],
  ['account', 'readsOther', 'own', 'STO-021', 'STO-021'],
  ['paymaster', 'writesOf', 'wallet', undefined, undefined],
  ['paymaster', 'readsOwn', 'own', 'STO-031', undefined],
  ['paymaster', 'writesOwn', 'own', 'STO-031', undefined],
  ['paymaster', 'delegatesTo', '0x5f5f5d', 'STO-031', undefined],
  ['account', 'readsOwnOf', 'paymaster', 'STO-031', 'STO-031'],
  ['paymaster', 'writesOf', 'own', 'STO-032', undefined],
  ['paymaster', 'writesAt', 'own', 'STO-032', undefined],
  ['paymaster', 'readsOther', 'own', 'STO-033', undefined],
  ['paymaster', 'readsOf', 'somebody', 'STO-033', undefined],
  ['paymaster', 'calls', '0x5f5c', 'STO-033', undefined],
  ['paymaster', 'writesOther', 'own', 'STO-033', 'STO-033'],
  ['paymaster', 'readsCodeSize', 'wallet', undefined, undefined],
  ['paymaster', 'readsCodeSize', 'delegated', 'AUTH-030', 'AUTH-030'],
  ['account', 'calls', 'delegated', 'AUTH-030', 'AUTH-030'],
  ['paymaster', 'calls', '0x5f5f5d', 'STO-033', 'STO-033'],
];

describe('ERC-7562: what breaks a rule is found', () => {
  const chain = useTestChain(8453, { isTraced: true });
  let wallet: PrivateKeyAccount;
  let delegated: PrivateKeyAccount;
  let somebody: Address;
  /** Without and with a stake. */
  let paymasters: readonly [Address, Address];
  beforeAll(async () => {
    somebody = await chain.deploy(otherStorageAbi, otherStorageBytecode);
    const args = [entryPoint, somebody];
    const account = await chain.deploy(breakingAccountAbi, breakingAccountBytecode, args);
    const deploy = () => chain.deploy(breakingPaymasterAbi, breakingPaymasterBytecode, args);
    paymasters = [await deploy(), await deploy()];
    [wallet, delegated] = [await chain.agent(), await chain.agent()];
    for (const one of [wallet, delegated]) await delegate(chain, one, '0x', account);
    for (const address of paymasters) {
      await send(address, 'fund', parseEther('10'));
      await chain.node.setBalance({ address, value: 10n ** 9n });
    }
    await send(paymasters[1], 'stake', parseEther('1'), [86_400]);
  });

  const send = (
    address: Address,
    functionName: 'fund' | 'stake',
    value: bigint,
    args: readonly unknown[] = [],
  ) => {
    const call = { address, abi: breakingPaymasterAbi, functionName, args, value };
    return chain.mined(chain.wallet.writeContract(call as never));
  };

  interface Doing {
    readonly account?: Hex;
    readonly paymaster?: Hex;
    /** The paymaster. */
    readonly by?: Address;
    readonly initCode?: Hex;
  }

  /** The rules that an operation breaks whose entities do this. */
  async function rulesBrokenBy({
    account = '0x',
    paymaster = '0x',
    by = paymasters[0],
    initCode = '0x',
  }: Doing) {
    const limits = slice(usdcPaymasterAndData(400_000n), 20, 52);
    const userOp = await buildUserOp(
      chain,
      wallet.address,
      '0x',
      { initCode, paymasterAndData: concatHex([by, limits, paymaster]), signature: account },
      { verification: 3_000_000n },
    );
    const { receipt } = await handleOps(chain, userOp);
    const { violations, entities } = await checkTrace(chain, receipt.transactionHash);
    expect(entities).toEqual(['account', 'paymaster']);
    return [...new Set(violations.map(({ rule }) => rule))];
  }

  async function addressOf(target: Target, role: Role, paymaster: Address): Promise<Address> {
    if (typeof target === 'number') return numberToHex(target, { size: 20 });
    if (target.startsWith('0x')) return placeCode(chain, target as Hex);
    const addresses: Record<string, Address> = {
      'entry point': entryPoint,
      wallet: wallet.address,
      own: role === 'account' ? wallet.address : paymaster,
      paymaster,
      nobody: '0x00000000000000000000000000000000deadbeef',
      somebody,
      delegated: delegated.address,
    };
    return addresses[target]!;
  }
  const doing = (deed: string, target: Address) => encode(breakingAccountAbi, deed as 'calls', [target]);

  it.each(opcodes)('%s: the opcode %s', async (rule, _, code) => {
    const part = doing('calls', await placeCode(chain, code));
    expect(await rulesBrokenBy({ account: part })).toEqual([rule]);
    expect(await rulesBrokenBy({ paymaster: part })).toEqual([rule]);
  });

  it.each(deeds)(
    'the %s %s (%s), without a stake: %s; with one: %s',
    async (role, deed, target, ...expected) => {
      for (const [index, by] of paymasters.entries()) {
        const part = doing(deed, await addressOf(target, role, by));
        expect(await rulesBrokenBy({ [role]: part, by })).toEqual([expected[index]].filter(Boolean));
      }
    },
  );

  it('STO-022: slots of a wallet that delegates in the operation', async () => {
    const part = doing('writesOf', wallet.address);
    const initCode = pad('0x7702', { dir: 'right', size: 20 });
    expect(await rulesBrokenBy({ initCode, account: part })).toEqual(['STO-022']);
    expect(await rulesBrokenBy({ initCode, paymaster: part })).toEqual(['STO-022']);
    expect(await rulesBrokenBy({ initCode, paymaster: part, by: paymasters[1] })).toEqual([]);
  });

  it('OP-011: a feed that is read in validation', async () => {
    const feed = await chain.deploy(clockFeedAbi, clockFeedBytecode);
    const by = await chain.deploy(feedReaderAbi, feedReaderBytecode, [entryPoint, feed]);
    await send(by, 'fund', parseEther('10'));
    expect(await rulesBrokenBy({ by })).toEqual(['OP-011']);
  });
});
