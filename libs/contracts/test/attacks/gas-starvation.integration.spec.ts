import { type Address, type Hex, type PrivateKeyAccount, concatHex, erc20Abi, numberToHex } from 'viem';
import { usdcPaymasterAbi } from '../../src/generated/UsdcPaymaster.js';
import { hostileVaultAbi, hostileVaultBytecode } from '../generated/HostileVault.js';
import { localUsdcAbi } from '../generated/LocalUsdc.js';
import { mockVaultAbi, mockVaultBytecode } from '../generated/MockVault.js';
import {
  type PackedUserOperation,
  buildUserOp,
  configuredAgent,
  delegate,
  depositHook,
  executorCall,
  signUserOp,
  usdcPaymasterAndData,
} from '../support/account.js';
import { bundle, operationNonce, usdcFor, watch } from '../support/bundle.js';
import { type TestChain, localContracts, startTestChain } from '../support/chain.js';
import { permitData, signPermit, termsOf } from '../support/paymaster.js';

const { paymaster } = localContracts;
const amount = 100_000_000n;

describe('attack: too little gas (63/64)', () => {
  let chain: TestChain;
  let vaults: readonly [Address, Address];
  let bundler: PrivateKeyAccount;
  let victim: PrivateKeyAccount;
  beforeAll(async () => {
    chain = await startTestChain();
    vaults = [
      await chain.deploy(mockVaultAbi, mockVaultBytecode, [chain.usdc]),
      await chain.deploy(mockVaultAbi, mockVaultBytecode, [chain.usdc]),
    ];
    bundler = await chain.agent();
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    victim = await configuredAgent(chain);
  });

  const twoDeposits = () =>
    executorCall(...vaults.map((vault) => depositHook(vault, chain.usdc, amount, amount)));
  const sign = async (
    overrides: Partial<PackedUserOperation> = {},
    limits: { call?: bigint } = {},
    callData: Hex = twoDeposits(),
  ) => signUserOp(chain, victim, await buildUserOp(chain, victim.address, callData, overrides, limits));
  /** Shares of both vaults, and what is allowed to each. */
  const positions = async () => {
    const reads = vaults.flatMap((vault) => [
      chain.read(vault, erc20Abi, 'balanceOf', [victim.address]),
      chain.read(chain.usdc, erc20Abi, 'allowance', [victim.address, vault]),
    ]);
    return Promise.all(reads);
  };
  const none = [0n, 0n, 0n, 0n];
  const nothing = { usdc: 0n, wei: 0n, deposit: 0n };

  /** Send with this gas, look what became of it, and take it back. */
  async function attempt(userOp: PackedUserOperation, gas: bigint) {
    const snapshot = await chain.node.snapshot();
    const { validUntil } = await termsOf(chain);
    const gains = await watch(chain, { victim: victim.address, paymaster });
    const { receipt, outcomes } = await bundle(chain, bundler, [userOp], gas);
    const result = {
      isAccepted: receipt.status === 'success',
      outcome: outcomes[0],
      gains: await gains(),
      positions: await positions(),
      isUsed: (await operationNonce(chain, userOp)) > userOp.nonce,
      isRefreshed: (await termsOf(chain)).validUntil > validUntil,
      permits: await chain.read(chain.usdc, localUsdcAbi, 'nonces', [victim.address]),
    };
    await chain.node.revert({ id: snapshot });
    return result;
  }

  /** Least gas with which the entry point accepts the operation. */
  async function leastGas(userOp: PackedUserOperation): Promise<bigint> {
    let [low, high] = [21_000n, 4_000_000n];
    while (high - low > 50n) {
      const middle = (low + high) / 2n;
      if ((await attempt(userOp, middle)).isAccepted) high = middle;
      else low = middle;
    }
    return high;
  }

  const kinds: readonly (readonly [string, () => Promise<PackedUserOperation>])[] = [
    ['paid from the allowance', () => sign()],
    [
      'paid by a permit',
      async () => {
        victim = await chain.agent();
        await delegate(chain, victim, '0x');
        await chain.setUsdc(victim.address, 1_000_000_000n);
        const permit = permitData(chain, 20_000_000n, await signPermit(chain, victim, 20_000_000n));
        return sign({ paymasterAndData: concatHex([usdcPaymasterAndData(250_000n), permit]) });
      },
    ],
    [
      'that refreshes the price',
      async () => {
        const { refreshAt } = await termsOf(chain);
        await chain.node.setNextBlockTimestamp({ timestamp: BigInt(refreshAt) });
        await chain.node.mine({ blocks: 1 });
        return sign({ paymasterAndData: usdcPaymasterAndData(120_000n, 160_000n) });
      },
    ],
  ];

  it.each(kinds)(
    'from the bundler, to an operation %s: it runs whole, or nothing of it does',
    async (_, make) => {
      const snapshot = await chain.node.snapshot();
      const userOp = await make();
      const least = await leastGas(userOp);
      const gases = [
        ...Array.from({ length: 12 }, (_unused, index) => (least * BigInt(index + 1)) / 13n),
        ...Array.from({ length: 12 }, (_unused, index) => least - 6_000n + BigInt(index) * 1_000n),
      ].filter((gas) => gas > 70_000n);
      const seen = new Set<boolean>();
      for (const gas of gases) {
        const { isAccepted, outcome, gains, isUsed, ...rest } = await attempt(userOp, gas);
        seen.add(isAccepted);
        if (isAccepted) {
          expect(outcome).toMatchObject({ success: true });
          expect(gains.victim.usdc).toBe(-2n * amount - outcome!.charged!);
          expect(gains.paymaster).toEqual({ usdc: outcome!.charged!, wei: 0n, deposit: -outcome!.billed });
          expect(outcome!.charged).toBeGreaterThanOrEqual(usdcFor(outcome!.billed, outcome!.rate!));
          expect(rest.positions).toEqual([amount, 1n, amount, 1n]);
        } else {
          expect([gains, isUsed]).toEqual([{ victim: nothing, paymaster: nothing }, false]);
          expect(rest).toEqual({ positions: none, isRefreshed: false, permits: 0n });
        }
      }
      expect(seen).toEqual(new Set([false, true]));
      await chain.node.revert({ id: snapshot });
    },
  );

  it('from the signer, to the hooks: both deposits or none, and the paymaster is paid', async () => {
    const seen = new Set<boolean>();
    for (let call = 40_000n; call <= 300_000n; call += 20_000n) {
      const { outcome, gains, ...rest } = await attempt(await sign({}, { call }), 4_000_000n);
      const { success, charged, billed, rate } = outcome!;
      seen.add(success);
      expect(rest.positions).toEqual(success ? [amount, 1n, amount, 1n] : none);
      expect(gains.victim.usdc).toBe(-charged! - (success ? 2n * amount : 0n));
      expect(gains.paymaster).toEqual({ usdc: charged, wei: 0n, deposit: -billed });
      expect(charged).toBeGreaterThanOrEqual(usdcFor(billed, rate!));
    }
    expect(seen).toEqual(new Set([false, true]));
  });

  it('from the signer, to postOp: the call is undone, and the paymaster keeps the prefund', async () => {
    const [rate] = await chain.read(paymaster, usdcPaymasterAbi, 'tokenPerNative');
    const seen = new Set<boolean>();
    for (const limit of [0n, 5_000n, 10_000n, 20_000n, 30_000n, 40_000n]) {
      const userOp = await sign({ paymasterAndData: usdcPaymasterAndData(120_000n, limit) });
      const { outcome, gains, ...rest } = await attempt(userOp, 4_000_000n);
      const { success, billed } = outcome!;
      const isKept = outcome!.charged === undefined;
      seen.add(isKept);
      expect(success).toBe(!isKept);
      expect(rest.positions).toEqual(success ? [amount, 1n, amount, 1n] : none);
      expect(gains.paymaster.usdc).toBeGreaterThanOrEqual(usdcFor(billed, rate));
      expect(gains.victim.usdc).toBe(-gains.paymaster.usdc - (success ? 2n * amount : 0n));
    }
    expect(seen).toEqual(new Set([false, true]));
  });

  it('from a vault that burns what it gets: nothing is deposited before it, and nothing stays allowed', async () => {
    const greedy = await chain.deploy(hostileVaultAbi, hostileVaultBytecode, [chain.usdc]);
    const burner: Address = '0x00000000000000000000000000000000000c0de2';
    // JUMPDEST, PUSH1 0, JUMP.
    await chain.node.setCode({ address: burner, bytecode: '0x5b5f56' });
    await chain.write(greedy, hostileVaultAbi, 'callBack', [burner, '0x']);
    const hooks = [vaults[0], greedy].map((vault) => depositHook(vault, chain.usdc, amount, 1n));
    // So much gas that a sixty-fourth of it is enough to go on.
    const gasFees = concatHex([numberToHex(10n ** 8n, { size: 16 }), numberToHex(10n ** 8n, { size: 16 })]);
    const userOp = await sign({ gasFees }, { call: 6_000_000n }, executorCall(...hooks));
    const { outcome, gains, ...rest } = await attempt(userOp, 8_000_000n);
    expect(outcome).toMatchObject({ success: false });
    expect(rest.positions).toEqual(none);
    expect(await chain.read(chain.usdc, erc20Abi, 'allowance', [victim.address, greedy])).toBe(0n);
    expect(gains.victim.usdc).toBe(-outcome!.charged!);
    expect(outcome!.charged).toBeGreaterThanOrEqual(usdcFor(outcome!.billed, outcome!.rate!));
  });
});
