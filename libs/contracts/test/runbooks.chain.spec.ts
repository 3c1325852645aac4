import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  encodeFunctionData,
  getAddress,
  maxUint256,
  numberToHex,
  parseAbiItem,
  parseEther,
} from 'viem';
import {
  type PaymasterRoles,
  canonical,
  contractAddresses,
  paymasterDeployment,
} from '../src/address-book.js';
import { chainFacts } from '../src/chains/chains.js';
import { createProgram } from '../src/cli/create-program.js';
import { entryPointV08Abi } from '../src/generated/EntryPointV08.js';
import { usdcPaymasterAbi } from '../src/generated/UsdcPaymaster.js';
import { updatePaymasterPrice } from '../src/paymaster-price.js';
import { localPriceFeedAbi, localPriceFeedDeployedBytecode } from './generated/LocalPriceFeed.js';
import { balanceOf, configuredAgent, grantOf, pair } from './support/account.js';
import { handleOps } from './support/bundle.js';
import { entryPoint, ethUsd, mineAt, operatorKey, undoEachTest, useTestChain } from './support/chain.js';
import { now, poke, termsOf } from './support/paymaster.js';
import { handleOpsRevert, revertOf } from './support/reverts.js';

const runbook = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8');
const addressOf = (value: number) => getAddress(numberToHex(value, { size: 20 }));
const [safe, pauser, otherSafe, feed] = [
  addressOf(0x5afe1),
  addressOf(0x5afe2),
  addressOf(0x5afe3),
  addressOf(0xfeed),
];
const roles: PaymasterRoles = { owner: safe, pauser };
const facts = chainFacts(8453);
const day = 86_400n;

/** The steps of docs/operations.md, "The paymaster". */
describe('runbooks', () => {
  const chain = useTestChain();
  const { paymaster } = contractAddresses(8453, roles);
  let agent: PrivateKeyAccount;

  /** The commands of docs/production.md. */
  async function run(...args: readonly string[]) {
    const io = { out: () => undefined, note: () => undefined };
    const rpc = ['--rpc', chain.client.transport.url!];
    await createProgram(io, { PRIVATE_KEY: operatorKey }).parseAsync([...args, ...rpc], { from: 'user' });
  }
  const deploy = (owner: Address, by: Address) =>
    run('deploy', '--owner', owner, '--pauser', by, '--deposit', '5', '--stake', '1');

  /** A call that the runbooks name. */
  function callOf(signature: string, args: readonly unknown[]): Hex {
    expect(runbook).toContain(`\`${signature}\``);
    return encodeFunctionData({ abi: [parseAbiItem(`function ${signature}`)], args } as never);
  }
  /** Let an account send a call of the runbooks, as a Safe does. It must succeed. */
  async function send(
    from: Address,
    signature: string,
    args: readonly unknown[] = [],
    to = paymaster,
    value = 0n,
  ) {
    const transaction = { from, to, data: callOf(signature, args), value: numberToHex(value) };
    const request = { method: 'eth_sendTransaction', params: [transaction] };
    const { status } = await chain.mined(chain.client.request(request as never));
    expect(status).toBe('success');
  }
  const refusal = async (from: Address, signature: string, args: readonly unknown[] = []) =>
    (await revertOf(chain, { from, to: paymaster, data: callOf(signature, args) }))[0];

  const through = (address: Address) => ({
    paymasterAndData: concatHex([address, pair(120_000n, 40_000n), grantOf(chain.usdc, 10_000_000n)]),
  });
  const pays = async (address: Address = paymaster) =>
    (await handleOps(chain, await poke(chain, agent, through(address)))).outcome.success;
  const refused = async (address: Address = paymaster) =>
    (await handleOpsRevert(chain, await poke(chain, agent, through(address)))).slice(0, 2);
  const depositOf = (address: Address) =>
    chain.read(entryPoint, entryPointV08Abi, 'getDepositInfo', [address]);
  const paused = ['AA33 reverted', 'PaymasterCostAboveCeiling'];

  beforeAll(async () => {
    for (const address of [safe, pauser, otherSafe]) {
      await chain.node.impersonateAccount({ address });
      await chain.node.setBalance({ address, value: parseEther('10') });
    }
    await deploy(safe, pauser);
    agent = await configuredAgent(chain);
    // An operation that fills its empty balance would cost more.
    expect(await pays()).toBe(true);
  });
  undoEachTest(chain);

  it('a paymaster that loses: the pauser stops, the owner withdraws and resumes', async () => {
    const { operationCeiling } = await termsOf(chain, paymaster);
    await send(pauser, 'pause()');
    expect(await refused()).toEqual(paused);
    const { deposit } = await depositOf(paymaster);
    await send(safe, 'withdrawDeposit(address,uint256)', [otherSafe, deposit]);
    expect((await depositOf(paymaster)).deposit).toBe(0n);

    expect(await refusal(pauser, 'setOperationCeiling(uint64)', [operationCeiling])).toBe(
      'OwnableUnauthorizedAccount',
    );
    await send(safe, 'setOperationCeiling(uint64)', [operationCeiling]);
    await send(otherSafe, 'depositTo(address)', [paymaster], entryPoint, deposit);
    expect(await pays()).toBe(true);
  });

  it('a drained deposit: AA31, and anybody cures it', async () => {
    const { deposit } = await depositOf(paymaster);
    await send(safe, 'withdrawDeposit(address,uint256)', [safe, deposit]);
    expect(await refused()).toEqual(['AA31 paymaster deposit too low']);
    await send(otherSafe, 'depositTo(address)', [paymaster], entryPoint, parseEther('1'));
    expect(await pays()).toBe(true);
  });

  it('another feed: the new paymaster serves the same wallet at once, and the old one is emptied', async () => {
    await chain.node.setCode({ address: feed, bytecode: localPriceFeedDeployedBytecode });
    await chain.write(feed, localPriceFeedAbi, 'setAnswer', [ethUsd / 2n]);
    const changed = {
      ...facts,
      wrappedNative: { ...facts.wrappedNative, price: { ...facts.wrappedNative.price, feed } },
    };
    const { address, salt, initCode } = paymasterDeployment(changed, roles);
    const data = concatHex([salt, initCode]);
    const value = parseEther('1');
    await chain.mined(chain.wallet.sendTransaction({ to: canonical.create2Deployer, data, value }));
    await updatePaymasterPrice(chain.wallet, chain.client, address);
    await send(otherSafe, 'depositTo(address)', [address], entryPoint, parseEther('1'));
    expect((await termsOf(chain, address)).usdcPerNative).toBe(1_250_000_000n);

    const code = await chain.client.getCode({ address: agent.address });
    expect(await pays(address)).toBe(true);
    expect(await pays()).toBe(true);
    expect(await chain.client.getCode({ address: agent.address })).toBe(code);

    await send(pauser, 'pause()');
    expect(await refused()).toEqual(paused);
    const { deposit, stake } = await depositOf(paymaster);
    const earned = await balanceOf(chain, chain.usdc, paymaster);
    expect(earned).toBeGreaterThan(0n);
    const before = await chain.client.getBalance({ address: otherSafe });
    await send(safe, 'withdrawTokens(address,address,uint256)', [chain.usdc, otherSafe, maxUint256]);
    await send(safe, 'withdrawDeposit(address,uint256)', [otherSafe, deposit]);
    await send(safe, 'unlockStake()');
    await mineAt(chain, (await now(chain)) + day);
    await send(safe, 'withdrawStake(address)', [otherSafe]);
    expect(await balanceOf(chain, chain.usdc, otherSafe)).toBe(earned);
    expect(await chain.client.getBalance({ address: otherSafe })).toBe(before + deposit + stake);
  });

  it('the markup: a raise waits a day, lowering is immediate', async () => {
    const markup = async () => (await termsOf(chain, paymaster)).markupBps;
    await send(safe, 'setMarkup(uint16)', [700]);
    expect(await refusal(safe, 'applyMarkup()')).toBe('PaymasterMarkupNotReady');
    expect(await markup()).toBe(500);
    await mineAt(chain, (await now(chain)) + day);
    await send(safe, 'applyMarkup()');
    expect(await markup()).toBe(700);
    await send(safe, 'setMarkup(uint16)', [100]);
    expect(await markup()).toBe(100);
  });

  it('another owner and pauser: the new owner accepts, and the address stays', async () => {
    await send(safe, 'transferOwnership(address)', [otherSafe]);
    expect(await refusal(otherSafe, 'setPauser(address)', [otherSafe])).toBe('OwnableUnauthorizedAccount');
    await send(otherSafe, 'acceptOwnership()');
    expect(await refusal(safe, 'setPauser(address)', [safe])).toBe('OwnableUnauthorizedAccount');
    await send(otherSafe, 'setPauser(address)', [otherSafe]);
    expect(await refusal(pauser, 'pause()')).toBe('PaymasterPauserUnauthorized');
    expect(await pays()).toBe(true);
  });

  it('a lost owner: price and deposit stay in the hands of others, and another paymaster serves the same wallet', async () => {
    await mineAt(chain, (await now(chain)) + BigInt(facts.paymaster.maxAgeSeconds) + 1n);
    expect(await refused()).toEqual(['AA32 paymaster expired or not due']);
    await run('refresh-price', '--owner', safe, '--pauser', pauser);
    expect(await pays()).toBe(true);

    await deploy(otherSafe, pauser);
    const other = contractAddresses(8453, { owner: otherSafe, pauser }).paymaster;
    expect(await pays(other)).toBe(true);
    expect(await chain.read(other, usdcPaymasterAbi, 'owner')).toBe(otherSafe);
    await send(pauser, 'pause()');
    expect(await refused()).toEqual(paused);
  });
});
