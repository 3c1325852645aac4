import { type Hex, concatHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { updatePaymasterPrice } from '../../src/paymaster-price.js';
import { clockFeedAbi, clockFeedBytecode } from '../generated/ClockFeed.js';
import { localVaultAbi, localVaultBytecode } from '../generated/LocalVault.js';
import {
  buildUserOp,
  configuredAgent,
  delegate,
  depositHook,
  executorCall,
  handleOps,
  signUserOp,
  usdcPaymasterAndData,
} from '../support/account.js';
import { baseForkUrl, type TestChain, localContracts, startTestChain } from '../support/chain.js';
import { sendFirstOperation } from '../support/first-operation.js';
import { permitData, poke, signPermit, termsOf } from '../support/paymaster.js';
import { checkTrace } from './check-trace.js';

const both = ['account', 'paymaster'];

// With `BASE_FORK_URL` also on a fork of the real Base, with its USDC and its feeds.
const places = [
  ['chain 1', 1, undefined],
  ['chain 8453', 8453, undefined],
  ...(baseForkUrl ? [['a fork of Base', 8453, baseForkUrl] as const] : []),
] as const;

describe.each(places)('ERC-7562 on %s', (_place, chainId, fork) => {
  let chain: TestChain;
  let deposit: Hex;
  beforeAll(async () => {
    chain = await startTestChain(chainId, {}, fork);
    if (!fork) {
      // From here on the feed has the shape of Base's: a proxy, and an aggregator that reads the clock.
      const feed = await chain.deploy(clockFeedAbi, clockFeedBytecode);
      const code = await chain.client.getCode({ address: feed });
      await chain.node.setCode({ address: chain.feed, bytecode: code! });
    }
    const vault = await chain.deploy(localVaultAbi, localVaultBytecode, [chain.usdc, 'Vault', 'V', 0]);
    deposit = executorCall(depositHook(vault, chain.usdc, 10_000_000n, 1n));
  });
  afterAll(() => chain.stop());

  it('an operation paid from the allowance', async () => {
    const agent = await configuredAgent(chain);
    const signed = await signUserOp(chain, agent, await buildUserOp(chain, agent.address, deposit));
    const { receipt, outcome } = await handleOps(chain, signed);
    expect(outcome?.success).toBe(true);
    expect(await checkTrace(chain, receipt.transactionHash)).toEqual({ violations: [], entities: both });
  });

  it('an operation paid by a permit', async () => {
    const agent = await chain.agent();
    await delegate(chain, agent, '0x');
    await chain.setUsdc(agent.address, 1_000_000_000n);
    const permit = permitData(chain, 20_000_000n, await signPermit(chain, agent, 20_000_000n));
    const { receipt, outcome } = await handleOps(
      chain,
      await poke(chain, agent, { paymasterAndData: concatHex([usdcPaymasterAndData(250_000n), permit]) }),
    );
    expect(outcome?.success).toBe(true);
    expect(await checkTrace(chain, receipt.transactionHash)).toEqual({ violations: [], entities: both });
  });

  it('the first operation, which delegates', async () => {
    const agent = privateKeyToAccount(generatePrivateKey());
    await chain.setUsdc(agent.address, 1_000_000_000n);
    const { receipt } = await sendFirstOperation(chain, agent, deposit, 20_000_000n);
    expect(await checkTrace(chain, receipt.transactionHash)).toEqual({ violations: [], entities: both });
  });

  it('an operation that pays for itself', async () => {
    const agent = await configuredAgent(chain);
    const { receipt } = await handleOps(chain, await poke(chain, agent, { paymasterAndData: '0x' }));
    expect(await checkTrace(chain, receipt.transactionHash)).toEqual({
      violations: [],
      entities: ['account'],
    });
  });

  it('behavior: the price can be stored from a feed that reads the clock', async () => {
    await updatePaymasterPrice(chain.wallet, chain.client, localContracts.paymaster);
    const { usdcPerEth } = await termsOf(chain);
    if (fork) expect(usdcPerEth).toBeGreaterThan(0n);
    else expect(usdcPerEth).toBe(2_500_000_000n);
  });
});
