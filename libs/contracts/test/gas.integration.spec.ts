import type { Address, Hex, PrivateKeyAccount } from 'viem';
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
import { type TestChain, startTestChain } from './support/chain.js';

/** Gas at the receipt of the bundle transaction, one operation in it. A ceiling may only fall. */
const ceilings = {
  setup: 214_000n,
  'first deposit': 233_000n,
  'second deposit': 199_000n,
  'redeem half': 189_000n,
  'redeem all': 186_000n,
} as const;

describe('gas with the USDC paymaster', () => {
  let chain: TestChain;
  let vault: Address;
  let agent: PrivateKeyAccount;
  const measured: Record<string, string> = {};
  beforeAll(async () => {
    chain = await startTestChain();
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

  async function run(name: string, owner: PrivateKeyAccount, hook: Hex): Promise<bigint> {
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
    const event = events.find(({ eventName }) => eventName === 'UserOperationEvent');
    const { success, actualGasUsed } = event?.args as { success: boolean; actualGasUsed: bigint };
    if (!success) throw new Error(`${name} failed`);
    measured[name] =
      `${String(receipt.gasUsed)} at the receipt, ${String(actualGasUsed)} billed by the entry point`;
    return receipt.gasUsed;
  }

  it('setup', async () => {
    const { gasUsed } = await delegate(chain, agent);
    measured['setup'] = String(gasUsed);
    expect(gasUsed).toBeLessThanOrEqual(ceilings.setup);
  });

  it.each([
    ['first deposit', (token: Address) => depositHook(vault, token, 100_000_000n, 1n)],
    ['second deposit', (token: Address) => depositHook(vault, token, 100_000_000n, 1n)],
    ['redeem half', (token: Address) => redeemHook(vault, token, 100_000_000n, 1n)],
    ['redeem all', (token: Address) => redeemHook(vault, token, max, 1n)],
  ] as const)('%s', async (name, hook) => {
    expect(await run(name, agent, hook(chain.usdc))).toBeLessThanOrEqual(ceilings[name]);
  });
});
