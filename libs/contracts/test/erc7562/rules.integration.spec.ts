import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  encodeDeployData,
  getCreate2Address,
  keccak256,
  numberToHex,
  pad,
  parseEther,
  slice,
} from 'viem';
import { breakingAccountAbi, breakingAccountBytecode } from '../generated/BreakingAccount.js';
import { breakingFactoryAbi, breakingFactoryBytecode } from '../generated/BreakingFactory.js';
import { breakingPaymasterAbi, breakingPaymasterBytecode } from '../generated/BreakingPaymaster.js';
import { clockFeedAbi, clockFeedBytecode } from '../generated/ClockFeed.js';
import { feedReaderAbi, feedReaderBytecode } from '../generated/FeedReader.js';
import { otherStorageAbi, otherStorageBytecode } from '../generated/OtherStorage.js';
import { buildUserOp, delegate, handleOps, usdcPaymasterAndData } from '../support/account.js';
import { encode } from '../support/calls.js';
import { type TestChain, entryPoint, startTestChain } from '../support/chain.js';
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
type Touch = 'depositsTo' | 'asksEntryPoint' | 'createsAgain' | 'readsOwn' | 'readsOwnOf' | 'writesOwn';
type Storage = 'readsOther' | 'writesOther' | 'readsOf' | 'writesOf' | 'writesAt';
type Role = 'factory' | 'account' | 'paymaster';
/** Whom a deed is about; a precompile by its number; or the code at an address of its own. */
type Target = 'entry point' | 'wallet' | 'own' | 'paymaster' | 'nobody' | 'somebody' | number | Hex;

/** What an entity does in its phase, without and with a stake: the rule that it breaks, if any. */
const deeds: readonly (readonly [
  role: Role,
  deed: Deed | Touch | Storage,
  target: Target,
  unstaked: string | undefined,
  staked: string | undefined,
])[] = [
  ['paymaster', 'runsOutOfGas', 'own', 'OP-020', 'OP-020'],
  ['account', 'runsOutOfGasInStore', 'own', 'OP-020', 'OP-020'],
  ['factory', 'createsAgain', 'own', 'OP-031', 'OP-031'],
  ['paymaster', 'readsCodeSize', 'somebody', undefined, undefined],
  ['paymaster', 'readsCodeSize', 'nobody', 'OP-041', 'OP-041'],
  ['account', 'calls', 'nobody', 'OP-041', 'OP-041'],
  ['factory', 'readsCodeSize', 'wallet', undefined, undefined],
  ['paymaster', 'readsCodeSize', 'entry point', 'OP-051', 'OP-051'],
  ['account', 'depositsTo', 'wallet', undefined, undefined],
  ['factory', 'depositsTo', 'wallet', undefined, undefined],
  ['account', 'depositsTo', 'somebody', 'OP-052', 'OP-052'],
  ['paymaster', 'depositsTo', 'wallet', 'OP-052', 'OP-052'],
  ['account', 'sendsValue', 'entry point', undefined, undefined],
  ['paymaster', 'sendsValue', 'entry point', 'OP-053', 'OP-053'],
  ['factory', 'sendsValue', 'entry point', 'OP-053', 'OP-053'],
  ['account', 'asksEntryPoint', 'wallet', 'OP-054', 'OP-054'],
  ['paymaster', 'asksEntryPoint', 'wallet', 'OP-054', 'OP-054'],
  ['account', 'sendsValue', 'somebody', 'OP-061', 'OP-061'],
  ['account', 'calls', 2, undefined, undefined],
  ['account', 'calls', 0x0a, 'OP-062', 'OP-062'],
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
  ['paymaster', 'calls', '0x5f5f5d', 'STO-033', 'STO-033'],
];

describe('ERC-7562: what breaks a rule is found', () => {
  let chain: TestChain;
  let wallet: PrivateKeyAccount;
  let somebody: Address;
  /** Without and with a stake. */
  let paymasters: readonly Address[];
  let factories: readonly Address[];
  let salt = 0n;
  beforeAll(async () => {
    chain = await startTestChain();
    somebody = await chain.deploy(otherStorageAbi, otherStorageBytecode);
    const deploy = (abi: readonly unknown[], code: Hex) => chain.deploy(abi, code, [entryPoint, somebody]);
    const account = await deploy(breakingAccountAbi, breakingAccountBytecode);
    paymasters = [
      await deploy(breakingPaymasterAbi, breakingPaymasterBytecode),
      await deploy(breakingPaymasterAbi, breakingPaymasterBytecode),
    ];
    factories = [
      await deploy(breakingFactoryAbi, breakingFactoryBytecode),
      await deploy(breakingFactoryAbi, breakingFactoryBytecode),
    ];
    wallet = await chain.agent();
    await delegate(chain, wallet, '0x', account);
    for (const address of paymasters) await send(address, 'fund', parseEther('10'));
    for (const address of [paymasters[1]!, factories[1]!]) await send(address, 'stake', parseEther('1'));
    for (const address of [...paymasters, ...factories]) {
      await chain.node.setBalance({ address, value: 10n ** 9n });
    }
  });
  afterAll(() => chain.stop());

  const send = (address: Address, functionName: 'fund' | 'stake', value: bigint) =>
    chain.mined(
      chain.wallet.writeContract({
        address,
        abi: breakingPaymasterAbi,
        functionName,
        args: functionName === 'stake' ? [86_400] : [],
        value,
      } as never),
    );
  async function codeAt(code: Hex): Promise<Address> {
    const address = slice(keccak256(code), 0, 20);
    await chain.node.setCode({ address, bytecode: code });
    return address;
  }

  interface Doing {
    readonly factory?: Hex;
    readonly account?: Hex;
    readonly paymaster?: Hex;
    /** Which of the entities have a stake. */
    readonly staked?: readonly ('factory' | 'paymaster')[];
    /** Another paymaster. */
    readonly by?: Address;
    readonly initCode?: Hex;
  }

  /** The rules that an operation breaks whose entities do this; the wallet delegates, or `factory` creates it. */
  async function rulesBrokenBy({ staked = [], by, ...doing }: Doing, creates = false) {
    const factory = factories[staked.includes('factory') ? 1 : 0]!;
    const create = encode(breakingFactoryAbi, 'create', [salt, doing.factory ?? '0x']);
    const userOp = await buildUserOp(
      chain,
      creates ? walletOf(factory, salt++) : wallet.address,
      '0x',
      {
        initCode: creates ? concatHex([factory, create]) : (doing.initCode ?? '0x'),
        paymasterAndData: concatHex([
          by ?? paymasters[staked.includes('paymaster') ? 1 : 0]!,
          slice(usdcPaymasterAndData(400_000n), 20),
          doing.paymaster ?? '0x',
        ]),
        signature: doing.account ?? '0x',
      },
      { verification: 3_000_000n },
    );
    const { receipt } = await handleOps(chain, userOp);
    const { violations, entities } = await checkTrace(chain, receipt.transactionHash);
    expect(entities).toEqual([...(creates ? ['factory'] : []), 'account', 'paymaster']);
    return [...new Set(violations.map(({ rule }) => rule))];
  }

  const walletOf = (factory: Address, number: bigint) =>
    getCreate2Address({
      from: factory,
      salt: numberToHex(number, { size: 32 }),
      bytecodeHash: keccak256(
        encodeDeployData({
          abi: breakingAccountAbi,
          bytecode: breakingAccountBytecode,
          args: [entryPoint, somebody],
        }),
      ),
    });

  async function addressOf(target: Target, role: Role, staked: boolean): Promise<Address> {
    if (typeof target === 'number') return numberToHex(target, { size: 20 });
    if (target.startsWith('0x')) return codeAt(target as Hex);
    const own = { paymaster: paymasters, factory: factories, account: [wallet.address, wallet.address] };
    const sender = role === 'factory' ? walletOf(factories[staked ? 1 : 0]!, salt) : wallet.address;
    const addresses: Record<string, Address> = {
      'entry point': entryPoint,
      wallet: sender,
      own: own[role][staked ? 1 : 0]!,
      paymaster: paymasters[staked ? 1 : 0]!,
      nobody: '0x00000000000000000000000000000000deadbeef',
      somebody,
    };
    return addresses[target]!;
  }
  const doing = (deed: string, target: Address) => encode(breakingAccountAbi, deed as 'calls', [target]);

  it.each(opcodes)('%s: the opcode %s', async (rule, _, code) => {
    const part = doing('calls', await codeAt(code));
    expect(await rulesBrokenBy({ account: part })).toEqual([rule]);
    expect(await rulesBrokenBy({ paymaster: part })).toEqual([rule]);
  });

  it.each(deeds)(
    'the %s %s (%s), without a stake: %s; with one: %s',
    async (role, deed, target, ...expected) => {
      for (const staked of [false, true]) {
        const part = doing(deed, await addressOf(target, role, staked));
        const broken = await rulesBrokenBy(
          { [role]: part, staked: staked ? ['factory', 'paymaster'] : [] },
          role === 'factory',
        );
        expect(broken).toEqual([expected[staked ? 1 : 0]].filter(Boolean));
      }
    },
  );

  it('STO-022: slots of a wallet that the operation creates', async () => {
    const part = async (staked: boolean) => doing('writesOf', await addressOf('wallet', 'factory', staked));
    expect(await rulesBrokenBy({ account: await part(false) }, true)).toEqual(['STO-022']);
    expect(await rulesBrokenBy({ account: await part(true), staked: ['factory'] }, true)).toEqual([]);
    expect(await rulesBrokenBy({ factory: await part(false) }, true)).toEqual(['STO-022']);
    expect(await rulesBrokenBy({ factory: await part(true), staked: ['factory'] }, true)).toEqual([]);
    expect(await rulesBrokenBy({ paymaster: await part(true), staked: ['factory'] }, true)).toEqual([
      'STO-022',
    ]);
    expect(await rulesBrokenBy({ paymaster: await part(false), staked: ['paymaster'] }, true)).toEqual([]);
  });

  it('STO-022: slots of a wallet that delegates in the operation', async () => {
    const part = doing('writesOf', wallet.address);
    const initCode = pad('0x7702', { dir: 'right', size: 20 });
    expect(await rulesBrokenBy({ initCode, account: part })).toEqual(['STO-022']);
    expect(await rulesBrokenBy({ initCode, paymaster: part })).toEqual(['STO-022']);
    expect(await rulesBrokenBy({ initCode, paymaster: part, staked: ['paymaster'] })).toEqual([]);
  });

  it('OP-011: a feed that is read in validation', async () => {
    const feed = await chain.deploy(clockFeedAbi, clockFeedBytecode);
    const by = await chain.deploy(feedReaderAbi, feedReaderBytecode, [entryPoint, feed]);
    await send(by, 'fund', parseEther('10'));
    expect(await rulesBrokenBy({ by })).toEqual(['OP-011']);
  });
});
