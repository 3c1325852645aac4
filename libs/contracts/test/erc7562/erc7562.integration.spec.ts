import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  numberToHex,
  parseEther,
  slice,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { updatePaymasterPrice } from '../../src/paymaster-price.js';
import { clockFeedAbi, clockFeedBytecode, clockFeedDeployedBytecode } from '../generated/ClockFeed.js';
import { feedReaderAbi, feedReaderBytecode } from '../generated/FeedReader.js';
import { localVaultAbi, localVaultBytecode } from '../generated/LocalVault.js';
import { ruleBreakerAbi, ruleBreakerBytecode } from '../generated/RuleBreaker.js';
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
import { type TestChain, entryPoint, localContracts, startTestChain } from '../support/chain.js';
import { sendFirstOperation } from '../support/first-operation.js';
import { permitData, poke, signPermit, termsOf } from '../support/paymaster.js';
import { checkTrace } from './check-trace.js';

const { paymaster } = localContracts;
const both = ['account', 'paymaster'];

describe.each([1, 8453] as const)('ERC-7562 on chain %i', (chainId) => {
  let chain: TestChain;
  let deposit: Hex;
  beforeAll(async () => {
    chain = await startTestChain(chainId);
    // From here on the feed has the shape of Base's: a proxy, and an aggregator that reads the clock.
    const { aggregator } = await deployFeed();
    await chain.node.setCode({ address: chain.feed, bytecode: aggregator });
    const vault = await chain.deploy(localVaultAbi, localVaultBytecode, [chain.usdc, 'Vault', 'V', 0]);
    deposit = executorCall(depositHook(vault, chain.usdc, 10_000_000n, 1n));
  });
  afterAll(() => chain.stop());

  /** The code of a proxy with its aggregator in it. */
  async function deployFeed() {
    const feed = await chain.deploy(clockFeedAbi, clockFeedBytecode);
    const aggregator = (await chain.client.getCode({ address: feed })) ?? clockFeedDeployedBytecode;
    return { feed, aggregator };
  }

  it('an operation paid from the allowance', async () => {
    const agent = await configuredAgent(chain);
    const signed = await signUserOp(chain, agent, await buildUserOp(chain, agent.address, deposit));
    const { receipt, outcome } = await handleOps(chain, signed);
    expect(outcome?.success).toBe(true);
    const found = await checkTrace(chain, receipt.transactionHash, { sender: agent.address, paymaster });
    expect(found).toEqual({ violations: [], entities: both });
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
    const found = await checkTrace(chain, receipt.transactionHash, { sender: agent.address, paymaster });
    expect(found).toEqual({ violations: [], entities: both });
  });

  it('the first operation, which delegates', async () => {
    const agent = privateKeyToAccount(generatePrivateKey());
    await chain.setUsdc(agent.address, 1_000_000_000n);
    const { receipt } = await sendFirstOperation(chain, agent, deposit, 20_000_000n);
    const sender = agent.address;
    const found = await checkTrace(chain, receipt.transactionHash, {
      sender,
      paymaster,
      firstOperationToken: chain.usdc,
    });
    expect(found).toEqual({ violations: [], entities: both });
  });

  (chainId === 8453 ? describe : describe.skip)('what breaks a rule is found', () => {
    let agent: PrivateKeyAccount;
    let breaker: Address;
    beforeAll(async () => {
      agent = await configuredAgent(chain);
      breaker = await chain.deploy(ruleBreakerAbi, ruleBreakerBytecode, [entryPoint]);
      await fund(breaker);
      await chain.node.setBalance({ address: breaker, value: 10n });
    });

    const fund = (address: Address) =>
      chain.mined(
        chain.wallet.writeContract({
          address,
          abi: ruleBreakerAbi,
          functionName: 'fund',
          value: parseEther('10'),
        }),
      );
    async function violationsOf(breaking: Address, data: Hex, staked = true) {
      const limits = slice(usdcPaymasterAndData(400_000n), 20);
      const { receipt } = await handleOps(
        chain,
        await poke(chain, agent, { paymasterAndData: concatHex([breaking, limits, data]) }),
      );
      const options = { sender: agent.address, paymaster: breaking, staked };
      return (await checkTrace(chain, receipt.transactionHash, options)).violations;
    }

    it.each([
      ['OP-011', 1, 'reads the time'],
      ['OP-011', 2, 'reads the block number'],
      ['OP-011', 3, 'reads the base fee'],
      ['OP-011', 4, 'reads the origin'],
      ['OP-012', 5, 'reads the gas left'],
      ['OP-041', 6, 'looks at an address without code'],
      ['OP-061', 7, 'sends value'],
      ['OP-054', 8, 'calls the entry point'],
      ['STO-033', 9, 'writes storage of another'],
      ['OP-011', 10, 'reads a balance'],
      ['OP-011', 11, 'creates a contract'],
    ] as const)('%s: rule %i, %s', async (rule, id, _what) => {
      const violations = await violationsOf(breaker, numberToHex(id, { size: 1 }));
      expect(violations.map((violation) => violation.rule)).toContain(rule);
    });

    it('behavior: the same contract is clean where it breaks none', async () => {
      expect(await violationsOf(breaker, '0x00')).toEqual([]);
    });

    it('STO-031: without a stake a paymaster may not use its own storage', async () => {
      expect(await violationsOf(breaker, '0x0c')).toEqual([]);
      expect((await violationsOf(breaker, '0x0c', false)).map(({ rule }) => rule)).toEqual(['STO-031']);
    });

    it('STO-022: the first operation may not use slots of the wallet but in the token', async () => {
      const { receipt } = await handleOps(
        chain,
        await poke(chain, agent, {
          paymasterAndData: concatHex([breaker, slice(usdcPaymasterAndData(400_000n), 20), '0x0d']),
        }),
      );
      const { violations } = await checkTrace(chain, receipt.transactionHash, {
        sender: agent.address,
        paymaster: breaker,
        firstOperationToken: chain.usdc,
      });
      expect(violations.map(({ rule }) => rule)).toEqual(['STO-022']);
    });

    it('OP-011: a feed that is read in validation', async () => {
      const { feed } = await deployFeed();
      const reader = await chain.deploy(feedReaderAbi, feedReaderBytecode, [entryPoint, feed]);
      await fund(reader);
      expect(await violationsOf(reader, '0x')).toEqual([
        { rule: 'OP-011', what: 'paymaster uses TIMESTAMP' },
      ]);
    });
  });

  it('behavior: the price can be stored from a feed that reads the clock', async () => {
    await updatePaymasterPrice(chain.wallet, chain.client, paymaster);
    expect((await termsOf(chain)).usdcPerEth).toBe(2_500_000_000n);
  });
});
