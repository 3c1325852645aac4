import {
  createPublicClient,
  createWalletClient,
  defineChain,
  getCreate2Address,
  http,
  keccak256,
  parseEther,
} from 'viem';
import { startAnvil } from '@yield-vault/testing';
import {
  type SuiteEntryPointVersion,
  canonical,
  entryPointDeployment,
  localPaymasterOwner,
  suite,
  suiteAddresses,
  suiteDeployments,
} from '../src/address-book.js';
import { deploySuite } from '../src/deploy-suite.js';
import { Create2DeployerMissingError, SuiteDeploymentError, UnsupportedChainError } from '../src/errors.js';
import { entryPointV08Abi } from '../src/generated/EntryPointV08.js';
import { usdcPaymasterAbi } from '../src/generated/UsdcPaymaster.js';
import { expectedCodeHashes, inspectSuite } from '../src/inspect-suite.js';
import { type TestChain, operator, startTestChain } from './support/chain.js';

const contracts = ['entryPoint', 'account', 'validator', 'paymaster', 'executor'];

describe('address book', () => {
  it('behavior: the frozen suite is what CREATE2 gives for these sources', () => {
    expect(suiteAddresses()).toEqual(suite);
  });

  it('behavior: so are the suites for EntryPoint v0.7 and for Circle’s paymaster', () => {
    const circle = (version: SuiteEntryPointVersion) =>
      suiteAddresses({
        entryPointVersion: version,
        paymaster: canonical.circlePaymaster[version][8453],
      });
    expect(suiteAddresses({ entryPointVersion: '0.7' })).toEqual({
      account: '0x8a2AcF235d4dbC89b199B4469f9e7358534787B4',
      validator: suite.validator,
      executor: '0xA9034bc0Bd333bf5378Ba0622a39204BFaE5cEBA',
      paymaster: '0x4E044a6eEF98b89052BdE291CcE0Ae4390B4A1FA',
    });
    expect(circle('0.7')).toEqual({
      account: '0x8a2AcF235d4dbC89b199B4469f9e7358534787B4',
      validator: suite.validator,
      executor: '0x60A27F41502817c024dEE19897014b83A7eB6aFB',
      paymaster: '0x6C973eBe80dCD8660841D4356bf15c32460271C9',
    });
    expect(circle('0.8')).toEqual({
      account: suite.account,
      validator: suite.validator,
      executor: '0x24872E442ec6C3c827EceCeB545D8B18f7809A22',
      paymaster: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec',
    });
  });

  it('behavior: each address is deployer, salt and creation code', () => {
    for (const { address, salt, initCode } of [
      entryPointDeployment(),
      entryPointDeployment('0.7'),
      ...Object.values(suiteDeployments()),
      ...Object.values(suiteDeployments({ entryPointVersion: '0.7' })),
    ]) {
      expect(
        getCreate2Address({ from: canonical.create2Deployer, salt, bytecodeHash: keccak256(initCode) }),
      ).toBe(address);
    }
    expect(entryPointDeployment().address).toBe(canonical.entryPointV08);
    expect(entryPointDeployment('0.7').address).toBe(canonical.entryPointV07);
  });

  it('behavior: another owner moves the paymaster and the executor alone', () => {
    const other = suiteAddresses({ paymasterOwner: canonical.multicall3 });
    expect(other).toMatchObject({ account: suite.account, validator: suite.validator });
    expect(other.paymaster).not.toBe(suite.paymaster);
    expect(other.executor).not.toBe(suite.executor);
  });
});

describe.each([1, 8453] as const)('deploySuite on chain %d', (chainId) => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startTestChain(chainId);
  });
  afterAll(() => chain.stop());

  it('default: deploys everything and funds the paymaster', async () => {
    expect(chain.report.contracts.map(({ contract, status }) => [contract, status])).toEqual(
      contracts.map((contract) => [contract, 'deployed']),
    );
    expect(chain.report).toMatchObject({ paymasterDeposit: 'added', paymasterStake: 'added' });
    const info = await chain.client.readContract({
      address: canonical.entryPointV08,
      abi: entryPointV08Abi,
      functionName: 'getDepositInfo',
      args: [suite.paymaster],
    });
    expect(info).toMatchObject({
      deposit: parseEther('100'),
      staked: true,
      stake: parseEther('1'),
      unstakeDelaySec: 86_400,
    });
    expect(
      await chain.client.readContract({
        address: suite.paymaster,
        abi: usdcPaymasterAbi,
        functionName: 'owner',
      }),
    ).toBe(localPaymasterOwner);
  });

  it('behavior: again finds everything present and adds nothing', async () => {
    const nonce = await chain.client.getTransactionCount(operator);
    const again = await deploySuite(chain.wallet, chain.client, {
      paymasterDepositWei: parseEther('100'),
      paymasterStakeWei: parseEther('1'),
    });
    expect(again.contracts.map(({ status }) => status)).toEqual(contracts.map(() => 'present'));
    expect(again).toMatchObject({ paymasterDeposit: 'unchanged', paymasterStake: 'unchanged' });
    expect(await chain.client.getTransactionCount(operator)).toBe(nonce);
  });

  it('behavior: tops up only what is missing, and leaves it to the owner', async () => {
    const more = { paymasterDepositWei: parseEther('101') };
    expect(await deploySuite(chain.wallet, chain.client, more)).toMatchObject({ paymasterDeposit: 'added' });
    const stranger = chain.walletOf(await chain.agent());
    const report = await deploySuite(stranger, chain.client, {
      paymasterDepositWei: parseEther('102'),
      paymasterStakeWei: parseEther('2'),
    });
    expect(report).toMatchObject({ paymasterDeposit: 'not-owner', paymasterStake: 'not-owner' });
    const balance = await chain.client.readContract({
      address: canonical.entryPointV08,
      abi: entryPointV08Abi,
      functionName: 'balanceOf',
      args: [suite.paymaster],
    });
    expect(balance).toBe(parseEther('101'));
  });

  it('behavior: inspectSuite finds it in order', async () => {
    const found = await inspectSuite(chain.client, suite);
    expect(found.map(({ contract, status }) => [contract, status])).toEqual(
      contracts.map((contract) => [contract, 'ok']),
    );
    expect(found[1]?.codeHash).toBe(expectedCodeHashes.account);
  });

  it('behavior: inspectSuite tells what is missing and what is not ours', async () => {
    const snapshot = await chain.node.snapshot();
    await chain.node.setCode({ address: suite.executor, bytecode: '0x' });
    await chain.node.setCode({ address: suite.validator, bytecode: '0x6001' });
    const found = await inspectSuite(chain.client, suite);
    await chain.node.revert({ id: snapshot });
    expect(Object.fromEntries(found.map(({ contract, status }) => [contract, status]))).toEqual({
      entryPoint: 'ok',
      account: 'ok',
      validator: 'mismatch',
      paymaster: 'ok',
      executor: 'missing',
    });
  });
});

describe('a chain the suite is not made for', () => {
  it('error: SuiteDeploymentError, UnsupportedChainError, Create2DeployerMissingError', async () => {
    const anvil = await startAnvil({ chainId: 31_337 });
    try {
      const chain = defineChain({
        id: 31_337,
        name: 'test',
        nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
        rpcUrls: { default: { http: [anvil.rpcUrl] } },
      });
      const transport = http(anvil.rpcUrl);
      const client = createPublicClient({ chain, transport, pollingInterval: 20 });
      const wallet = createWalletClient({ account: operator, chain, transport });
      // The paymaster's constructor refuses; a fixed gas limit lets the transaction be mined all the same.
      const careless = {
        ...wallet,
        sendTransaction: (request: object) =>
          wallet.sendTransaction({ ...request, gas: 8_000_000n } as never),
      };
      const failure = deploySuite(careless as typeof wallet, client);
      await expect(failure).rejects.toBeInstanceOf(SuiteDeploymentError);
      await expect(failure).rejects.toMatchObject({ code: 'SUITE_DEPLOYMENT_FAILED', contract: 'paymaster' });
      await expect(inspectSuite(client, suite)).rejects.toBeInstanceOf(UnsupportedChainError);
      await client.request({ method: 'anvil_setCode', params: [canonical.create2Deployer, '0x'] } as never);
      await expect(deploySuite(wallet, client)).rejects.toBeInstanceOf(Create2DeployerMissingError);
    } finally {
      await anvil.stop();
    }
  });
});
