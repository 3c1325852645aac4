import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  numberToHex,
  parseEther,
  size,
} from 'viem';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { breakingAccountAbi, breakingAccountBytecode } from '../generated/BreakingAccount.js';
import { breakingPaymasterAbi, breakingPaymasterBytecode } from '../generated/BreakingPaymaster.js';
import { type PackedUserOperation, buildUserOp, delegate, pair } from '../support/account.js';
import { bundle, handleOpsCall } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { entryPoint, operator, undoEachTest, useTestChain } from '../support/chain.js';
import { checkLimits, compareValidations, readPhases } from './check-limits.js';

const bytesOfZero = (count: number): Hex => `0x${'00'.repeat(count)}`;
const partOf = (functionName: 'returnsContext' | 'shrinks', number: bigint) =>
  encode(breakingPaymasterAbi, functionName, [numberToHex(number, { size: 20 })]);

describe('ERC-7562: what exceeds a limit is found', () => {
  const chain = useTestChain(8453, { isTraced: true });
  let wallet: PrivateKeyAccount;
  let account: Address;
  /** Without and with a stake. */
  let unstaked: Address;
  let staked: Address;
  beforeAll(async () => {
    const args = [entryPoint, entryPoint];
    account = await chain.deploy(breakingAccountAbi, breakingAccountBytecode, args);
    unstaked = await chain.deploy(breakingPaymasterAbi, breakingPaymasterBytecode, args);
    staked = await chain.deploy(breakingPaymasterAbi, breakingPaymasterBytecode, args);
    wallet = await chain.agent();
    await delegate(chain, wallet, '0x', account);
    for (const paymaster of [unstaked, staked]) await deposit(paymaster);
    await chain.mined(
      chain.wallet.writeContract({
        address: staked,
        abi: breakingPaymasterAbi,
        functionName: 'stake',
        args: [86_400],
        value: parseEther('1'),
      }),
    );
  });
  undoEachTest(chain);

  const deposit = (paymaster: Address) =>
    chain.mined(
      chain.wallet.writeContract({
        address: entryPoint,
        abi: entryPointV08Abi,
        functionName: 'depositTo',
        args: [paymaster],
        value: parseEther('10'),
      }),
    );

  interface Doing {
    readonly paymaster?: Address;
    readonly part?: Hex;
    readonly paymasterVerification?: bigint;
    readonly verification?: bigint;
    readonly overrides?: Partial<PackedUserOperation>;
  }

  const operation = ({
    paymaster = staked,
    part = '0x',
    paymasterVerification = 400_000n,
    verification = 100_000n,
    overrides,
  }: Doing) => {
    const paymasterAndData = concatHex([paymaster, pair(paymasterVerification, 100_000n), part]);
    const defaults = { paymasterAndData, preVerificationGas: 100_000n, signature: '0x' as Hex };
    return buildUserOp(chain, wallet.address, '0x', { ...defaults, ...overrides }, { verification });
  };

  const send = (userOps: readonly PackedUserOperation[], options: Parameters<typeof bundle>[3] = {}) =>
    bundle(chain, operator, userOps, {
      gas: 25_000_000n,
      beneficiary: '0x000000000000000000000000000000000000bEEF',
      ...options,
    });

  /** The rules that an operation breaks. */
  async function rulesBrokenBy(doing: Doing, options: Parameters<typeof bundle>[3] = {}) {
    const { receipt, outcomes } = await send([await operation(doing)], options);
    expect(outcomes).toHaveLength(1);
    return (await checkLimits(chain, receipt.transactionHash)).map(({ rule }) => rule);
  }

  it('nothing', async () => {
    expect(await rulesBrokenBy({ part: partOf('returnsContext', 2_048n) })).toEqual([]);
  });

  it.each<readonly [rule: string, doing: Doing]>([
    ['LIM-010', { overrides: { callData: bytesOfZero(7_700) } }],
    ['LIM-020', { part: partOf('returnsContext', 2_049n) }],
    ['LIM-060', { verification: 500_000n }],
    ['LIM-060', { paymasterVerification: 500_000n }],
    ['LIM-070', { overrides: { preVerificationGas: 52_000n } }],
  ])('%s: %j', async (rule, doing) => {
    expect(await rulesBrokenBy(doing)).toEqual([rule]);
  });

  it('LIM-030: a limit without slack', async () => {
    const { receipt } = await send([await operation({})]);
    const { gasUsed } = (await readPhases(chain, receipt.transactionHash))[1]!;
    expect(await rulesBrokenBy({ paymasterVerification: BigInt(gasUsed + 3_999) })).toEqual(['LIM-030']);
  });

  it('LIM-040: a bundle that is too long', async () => {
    const call = handleOpsCall(operator.address, await operation({}));
    const data = concatHex([call, bytesOfZero(262_145 - size(call))]);
    const { transactionHash } = await chain.mined(
      chain.wallet.sendTransaction({ to: entryPoint, data, gas: 10_000_000n }),
    );
    expect(await checkLimits(chain, transactionHash)).toEqual([{ rule: 'LIM-040', what: '262145' }]);
  });

  it('LIM-050: contexts that are too long', async () => {
    expect(await rulesBrokenBy({ part: partOf('returnsContext', 65_537n) })).toEqual(['LIM-050', 'LIM-020']);
  });

  it('EREP-050: a context without a stake', async () => {
    expect(await rulesBrokenBy({ paymaster: unstaked, part: partOf('returnsContext', 32n) })).toEqual([
      'EREP-050',
    ]);
    expect(await rulesBrokenBy({ paymaster: unstaked })).toEqual([]);
  });

  it('EREP-055, EREP-070: a context and gas that shrink', async () => {
    const phases = [];
    for (let times = 0; times < 2; times++) {
      const { receipt } = await send([await operation({ part: partOf('shrinks', 0n) })]);
      phases.push(await readPhases(chain, receipt.transactionHash));
    }
    expect(compareValidations(phases[0]!, phases[1]!)).toEqual(['EREP-055', 'EREP-070']);
    expect(compareValidations(phases[1]!, phases[1]!)).toEqual([]);
  });

  it('AUTH-020: a wallet as paymaster', async () => {
    const implementation = await chain.deploy(breakingPaymasterAbi, breakingPaymasterBytecode, [
      entryPoint,
      entryPoint,
    ]);
    const agent = await chain.agent();
    await delegate(chain, agent, '0x', implementation);
    await deposit(agent.address);
    expect(await rulesBrokenBy({ paymaster: agent.address })).toEqual(['AUTH-020']);
  });

  it('AUTH-010, AUTH-040: more than one authorization of the sender, of one or two delegates', async () => {
    const nonce = await chain.client.getTransactionCount(wallet);
    const authorize = (contractAddress: Address, later: number) =>
      wallet.signAuthorization({ contractAddress, chainId: chain.chainId, nonce: nonce + later });
    const once = [await authorize(account, 0)];
    expect(await rulesBrokenBy({}, { authorizationList: once })).toEqual([]);
    const twice = [await authorize(account, 1), await authorize(account, 2)];
    expect(await rulesBrokenBy({}, { authorizationList: twice })).toEqual(['AUTH-010']);
    const other = [await authorize(staked, 3), await authorize(account, 4)];
    expect(await rulesBrokenBy({}, { authorizationList: other })).toEqual(['AUTH-010', 'AUTH-040']);
  });
});
