import { type Address, type Hex, type PrivateKeyAccount, erc20Abi } from 'viem';
import { hostileVaultAbi, hostileVaultBytecode } from '../generated/HostileVault.js';
import { mockVaultAbi, mockVaultBytecode } from '../generated/MockVault.js';
import {
  buildUserOp,
  configuredAgent,
  depositHook,
  executorCall,
  max,
  redeemHook,
  signUserOp,
} from '../support/account.js';
import { bundle, watch } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { type TestChain, startTestChain } from '../support/chain.js';
import { sendToSelf } from '../support/modules.js';
import { revertOf } from '../support/reverts.js';

describe('attack: donations around the one base unit of USDC that stays allowed', () => {
  let chain: TestChain;
  let attacker: PrivateKeyAccount;
  let victim: PrivateKeyAccount;
  beforeAll(async () => {
    chain = await startTestChain();
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    attacker = await configuredAgent(chain);
    victim = await configuredAgent(chain);
  });

  const usdc = (functionName: 'transfer' | 'approve', to: Address, amount: bigint, from: PrivateKeyAccount) =>
    chain.write(chain.usdc, erc20Abi, functionName, [to, amount], from);
  const allowance = (spender: Address) =>
    chain.read(chain.usdc, erc20Abi, 'allowance', [victim.address, spender]);
  const run = async (...hooks: readonly Hex[]) =>
    expect((await sendToSelf(chain, victim, executorCall(...hooks))).status).toBe('success');
  const reverts = (...hooks: readonly Hex[]) =>
    revertOf(chain, { from: victim.address, to: victim.address, data: executorCall(...hooks) });
  /** A vault that takes `taken` percent of what it is given, for 100 shares. */
  const taking = async (taken: bigint, given = 100n) => {
    const hostile = await chain.deploy(hostileVaultAbi, hostileVaultBytecode, [chain.usdc]);
    await chain.write(hostile, hostileVaultAbi, 'behave', [given, given, taken]);
    return hostile;
  };

  it('a wallet that holds what it deposits: the unit above has to come from the attacker', async () => {
    const hostile = await taking(101n);
    await chain.setUsdc(victim.address, 100n);
    const hook = depositHook(hostile, chain.usdc, 100n, 100n);
    expect(await reverts(hook)).toEqual(['Error', 'ERC20: transfer amount exceeds balance']);
    const gains = await watch(chain, { victim: victim.address, attacker: attacker.address, hostile });
    await usdc('transfer', victim.address, 1n, attacker);
    await run(hook);
    expect(await gains()).toMatchObject({
      victim: { usdc: -100n },
      attacker: { usdc: -1n },
      hostile: { usdc: 101n },
    });
  });

  it('eight deposits of one operation: eight units, one for each, and none stays', async () => {
    const hostile = await taking(101n);
    const gains = await watch(chain, { victim: victim.address, hostile });
    await run(...Array.from({ length: 8 }, () => depositHook(hostile, chain.usdc, 100n, 100n)));
    expect(await gains()).toMatchObject({ victim: { usdc: -808n }, hostile: { usdc: 808n } });
    expect(await allowance(hostile)).toBe(0n);
    expect(await reverts(depositHook(await taking(102n), chain.usdc, 100n, 100n))).toEqual([
      'Error',
      'ERC20: transfer amount exceeds allowance',
    ]);
  });

  it('vaults that come back for their unit: one each, however much was donated', async () => {
    const hostile = [await taking(100n), await taking(100n), await taking(100n)];
    await run(...hostile.map((vault) => depositHook(vault, chain.usdc, 100n, 100n)));
    await usdc('transfer', victim.address, 1_000n, attacker);
    const gains = await watch(chain, { victim: victim.address });
    for (const vault of hostile) {
      const take = async (amount: bigint) => {
        const data = encode(erc20Abi, 'transferFrom', [victim.address, vault, amount]);
        await chain.write(vault, hostileVaultAbi, 'callBack', [chain.usdc, data]);
        // The attacker's own deposit, of nothing.
        const call = encode(hostileVaultAbi, 'deposit', [0n, attacker.address]);
        const { status } = await chain.mined(
          chain.walletOf(attacker).sendTransaction({ to: vault, data: call, gas: 300_000n }),
        );
        return status;
      };
      expect([await take(2n), await take(1n), await take(1n)]).toEqual(['reverted', 'success', 'reverted']);
    }
    expect((await gains()).victim.usdc).toBe(-3n);
  });

  it('a donation of one unit to a vault at the signed minimum: the victim loses the gas, the attacker the unit', async () => {
    const vault = await chain.deploy(mockVaultAbi, mockVaultBytecode, [chain.usdc]);
    const amount = 100_000_000n;
    await usdc('approve', vault, amount, attacker);
    await chain.write(vault, mockVaultAbi, 'deposit', [amount, attacker.address], attacker);
    const sign = async (minimum: bigint) => {
      const callData = executorCall(depositHook(vault, chain.usdc, amount, minimum));
      return signUserOp(chain, victim, await buildUserOp(chain, victim.address, callData));
    };
    const exact = await sign(amount);
    const gains = await watch(chain, { victim: victim.address, attacker: attacker.address });
    await usdc('transfer', vault, 1n, attacker);
    const { outcomes } = await bundle(chain, attacker, [exact]);
    expect(outcomes).toMatchObject([{ success: false }]);
    expect(await gains()).toMatchObject({
      victim: { usdc: -outcomes[0]!.charged! },
      attacker: { usdc: -1n },
    });
    expect(await allowance(vault)).toBe(0n);
    // A minimum that leaves one share is enough.
    const { outcomes: next } = await bundle(chain, attacker, [await sign(amount - 1n)]);
    expect(next).toMatchObject([{ success: true }]);
    expect(await chain.read(vault, erc20Abi, 'balanceOf', [victim.address])).toBe(amount - 1n);
  });

  it('a donation in the middle of a redeem: it counts as brought, and nothing else of the wallet does', async () => {
    const hostile = await taking(100n, 99n);
    const target = await chain.deploy(mockVaultAbi, mockVaultBytecode, [chain.usdc]);
    await chain.write(hostile, hostileVaultAbi, 'mint', [victim.address, 100n]);
    await chain.setUsdc(hostile, 1_000n);
    const hooks = [
      redeemHook(hostile, chain.usdc, 100n, 100n),
      depositHook(target, chain.usdc, max, 100n),
    ] as const;
    expect(await reverts(...hooks)).toEqual(['MinAssetsNotMet', 100n, 99n]);
    // Before the redeem it does not count.
    await usdc('transfer', victim.address, 1n, attacker);
    expect(await reverts(...hooks)).toEqual(['MinAssetsNotMet', 100n, 99n]);

    await usdc('approve', hostile, 1n, attacker);
    const donate = encode(erc20Abi, 'transferFrom', [attacker.address, victim.address, 1n]);
    await chain.write(hostile, hostileVaultAbi, 'callBack', [chain.usdc, donate]);
    const gains = await watch(chain, { victim: victim.address, attacker: attacker.address, target });
    await run(...hooks);
    expect(await gains()).toMatchObject({
      victim: { usdc: 0n },
      attacker: { usdc: -1n },
      target: { usdc: 100n },
    });
  });
});
