import { type Address, type Hex, type PrivateKeyAccount, parseEventLogs } from 'viem';
import { usdcPaymasterAbi } from '../src/generated/UsdcPaymaster.js';
import { localVaultAbi, localVaultBytecode } from './generated/LocalVault.js';
import {
  buildUserOp,
  calldataGas,
  configuredAgent,
  delegate,
  depositHook,
  executorCall,
  handleOps,
  max,
  redeemHook,
  signUserOp,
} from './support/account.js';
import { type TestChain, baseForkUrl, startTestChain } from './support/chain.js';

/**
 * Gas of a bundle of one operation: at the receipt, and what the paymaster charges before its markup. A ceiling may only
 * fall. Random addresses change the figures by up to 100.
 */
const ceilings = {
  setup: { receipt: 73_300n },
  'first deposit': { receipt: 237_600n, charged: 232_500n },
  'second deposit': { receipt: 183_500n, charged: 184_600n },
  'redeem half': { receipt: 177_500n, charged: 176_700n },
  'redeem all': { receipt: 174_200n, charged: 178_000n },
} as const;

interface Ended {
  readonly success: boolean;
  readonly actualGasUsed: bigint;
  readonly actualGasCost: bigint;
}

// With `BASE_FORK_URL` the same on a fork of the real Base: with its USDC and its feeds.

const places: readonly (readonly [string, string | undefined])[] = [
  ['a local chain', undefined],
  ...(baseForkUrl ? [['a fork of Base', baseForkUrl] as const] : []),
];

describe.each(places)('gas with the USDC paymaster on %s', (_place, fork) => {
  let chain: TestChain;
  let vault: Address;
  let agent: PrivateKeyAccount;
  const measured: Record<string, string> = {};
  beforeAll(async () => {
    chain = await startTestChain(8453, {}, fork);
    vault = await chain.deploy(localVaultAbi, localVaultBytecode, [chain.usdc, 'Vault', 'V', 0]);
    // Vault, paymaster and beneficiary have been used before, as in service.
    await run('warm-up', await configuredAgent(chain), depositHook(vault, chain.usdc, 100_000_000n, 1n));
    agent = await chain.agent();
    await chain.setUsdc(agent.address, 1_000_000_000n);
  });
  afterAll(async () => {
    await chain.stop();
    console.info(JSON.stringify(measured, null, 2));
  });

  async function run(name: string, owner: PrivateKeyAccount, hook: Hex) {
    const callData = executorCall(hook);
    // The least gas that a bundler must charge for a lone operation: transaction, calldata and the entry point's frame.
    const draft = await signUserOp(chain, owner, await buildUserOp(chain, owner.address, callData));
    const preVerificationGas = 21_000n + 9_000n + calldataGas(draft.callData) + calldataGas(draft.signature);
    const userOp = await buildUserOp(
      chain,
      owner.address,
      callData,
      { preVerificationGas },
      { call: 160_000n },
    );
    const { receipt, events } = await handleOps(chain, await signUserOp(chain, owner, userOp));
    const ended = events.find(({ eventName }) => eventName === 'UserOperationEvent');
    const { success, actualGasUsed, actualGasCost } = ended?.args as Ended;
    if (!success) throw new Error(`${name} failed`);
    const [sponsored] = parseEventLogs({
      abi: usdcPaymasterAbi,
      logs: receipt.logs,
      eventName: 'UserOperationSponsored',
    });
    if (!sponsored) throw new Error(`${name} was not sponsored`);
    const { tokenAmount, tokenPerNative } = sponsored.args;
    const charged = (tokenAmount * 10n ** 18n * actualGasUsed) / (tokenPerNative * actualGasCost);
    measured[name] =
      `${String(receipt.gasUsed)} at the receipt, ${String(charged)} charged, ${String(actualGasUsed)} billed`;
    return { receipt: receipt.gasUsed, charged, billed: actualGasUsed };
  }

  it('setup', async () => {
    const { gasUsed } = await delegate(chain, agent);
    measured['setup'] = String(gasUsed);
    expect(gasUsed).toBeLessThanOrEqual(ceilings.setup.receipt);
  });

  it.each([
    ['first deposit', (token: Address) => depositHook(vault, token, 100_000_000n, 1n)],
    ['second deposit', (token: Address) => depositHook(vault, token, 100_000_000n, 1n)],
    ['redeem half', (token: Address) => redeemHook(vault, token, 100_000_000n, 1n)],
    ['redeem all', (token: Address) => redeemHook(vault, token, max, 1n)],
  ] as const)('%s', async (name, hook) => {
    const { receipt, charged, billed } = await run(name, agent, hook(chain.usdc));
    expect(receipt).toBeLessThanOrEqual(ceilings[name].receipt);
    expect(charged).toBeLessThanOrEqual(ceilings[name].charged);
    expect(charged).toBeGreaterThanOrEqual(billed);
  });
});
