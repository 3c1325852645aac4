import {
  createPublicClient,
  createWalletClient,
  defineChain,
  getCreate2Address,
  http,
  keccak256,
  parseEther,
} from 'viem';
import {
  type ContractOptions,
  canonical,
  entryPointDeployment,
  localPaymasterOwner,
  paymasterAllowanceCaps,
  circleContracts,
  localContracts,
  contractAddresses,
  contractDeployments,
} from '../src/address-book.js';
import { deployContracts } from '../src/deploy-contracts.js';
import {
  Create2DeployerMissingError,
  ContractDeploymentError,
  UnsupportedChainError,
} from '../src/errors.js';
import { entryPointV08Abi } from '../src/generated/EntryPointV08.js';
import { usdcPaymasterAbi } from '../src/generated/UsdcPaymaster.js';
import { yieldExecutorAbi } from '../src/generated/YieldExecutor.js';
import { yieldVaultAccountAbi } from '../src/generated/YieldVaultAccount.js';
import { expectedCodeHashes, inspectContracts } from '../src/inspect-contracts.js';
import { operator, startAnvil, useTestChain } from './support/chain.js';
import { termsOf } from './support/paymaster.js';

const contracts = ['entryPoint', 'validator', 'paymaster', 'executor', 'account'];

describe('address book', () => {
  it('behavior: the frozen addresses follow from these sources', () => {
    expect(contractAddresses()).toEqual(localContracts);
    expect(contractAddresses({ paymaster: canonical.circlePaymaster[8453] })).toEqual(circleContracts);
  });

  it('behavior: each address is deployer, salt and creation code', () => {
    for (const { address, salt, initCode } of [
      entryPointDeployment,
      ...Object.values(contractDeployments()),
    ]) {
      expect(
        getCreate2Address({ from: canonical.create2Deployer, salt, bytecodeHash: keccak256(initCode) }),
      ).toBe(address);
    }
    expect(entryPointDeployment.address).toBe(canonical.entryPointV08);
  });

  it.each([
    ['another owner', { paymasterOwner: canonical.multicall3 }],
    ['another paymaster', { paymaster: canonical.circlePaymaster[8453] }],
  ] as readonly [string, ContractOptions][])('behavior: %s moves all but the validator', (_, options) => {
    const other = contractAddresses(options);
    expect(other.validator).toBe(localContracts.validator);
    for (const contract of ['paymaster', 'executor', 'account'] as const) {
      expect(other[contract]).not.toBe(localContracts[contract]);
    }
    expect(other.paymaster).toBe(options.paymaster ?? contractDeployments(options).paymaster?.address);
  });
});

describe.each([1, 8453] as const)('deployContracts on chain %d', (chainId) => {
  const chain = useTestChain(chainId);
  const depositInfo = () =>
    chain.read(canonical.entryPointV08, entryPointV08Abi, 'getDepositInfo', [localContracts.paymaster]);

  it('default: deploys everything and funds the paymaster', async () => {
    expect(chain.report.contracts.map(({ contract, status }) => [contract, status])).toEqual(
      contracts.map((contract) => [contract, 'deployed']),
    );
    expect(chain.report).toMatchObject({ paymasterDeposit: 'added', paymasterStake: 'added' });
    expect(await depositInfo()).toMatchObject({
      deposit: parseEther('100'),
      staked: true,
      stake: parseEther('1'),
      unstakeDelaySec: 86_400,
    });
    expect(await chain.read(localContracts.paymaster, usdcPaymasterAbi, 'owner')).toBe(localPaymasterOwner);
  });

  it('behavior: the contracts know each other, and the limits of the chain', async () => {
    const { account, validator, executor, paymaster } = localContracts;
    const ofAccount = (['defaultValidator', 'defaultExecutor', 'entryPoint'] as const).map((name) =>
      chain.read(account, yieldVaultAccountAbi, name),
    );
    expect(await Promise.all(ofAccount)).toEqual([validator, executor, canonical.entryPointV08]);
    const ofExecutor = (['paymaster', 'usdc', 'allowanceCap'] as const).map((name) =>
      chain.read(executor, yieldExecutorAbi, name),
    );
    const cap = paymasterAllowanceCaps[chainId];
    expect(await Promise.all(ofExecutor)).toEqual([paymaster, canonical.usdc[chainId], cap]);
    const { markupBps, operationCeiling } = await termsOf(chain);
    expect([markupBps, operationCeiling]).toEqual([500, { 1: 250_000_000n, 8453: 10_000_000n }[chainId]]);
  });

  it('behavior: again finds everything present and adds nothing', async () => {
    const nonce = await chain.client.getTransactionCount(operator);
    const again = await deployContracts(chain.wallet, chain.client, {
      paymasterDepositWei: parseEther('100'),
      paymasterStakeWei: parseEther('1'),
    });
    expect(again.contracts.map(({ status }) => status)).toEqual(contracts.map(() => 'present'));
    expect(again).toMatchObject({ paymasterDeposit: 'unchanged', paymasterStake: 'unchanged' });
    expect(await chain.client.getTransactionCount(operator)).toBe(nonce);
  });

  it('behavior: tops up only what is missing, and leaves it to the owner', async () => {
    const more = {
      paymasterDepositWei: parseEther('101'),
      paymasterStakeWei: parseEther('2'),
      unstakeDelaySeconds: 172_800,
    };
    expect(await deployContracts(chain.wallet, chain.client, more)).toMatchObject({
      paymasterDeposit: 'added',
      paymasterStake: 'added',
    });
    const stranger = chain.walletOf(await chain.agent());
    const report = await deployContracts(stranger, chain.client, {
      paymasterDepositWei: parseEther('102'),
      paymasterStakeWei: parseEther('3'),
    });
    expect(report).toMatchObject({ paymasterDeposit: 'not-owner', paymasterStake: 'not-owner' });
    expect(await depositInfo()).toMatchObject({
      deposit: parseEther('101'),
      stake: parseEther('2'),
      unstakeDelaySec: 172_800,
    });
  });

  it('behavior: inspectContracts finds it in order, or reports missing and foreign contracts', async () => {
    const found = await inspectContracts(chain.client, localContracts);
    expect(found.map(({ contract, status }) => [contract, status])).toEqual(
      contracts.map((contract) => [contract, 'ok']),
    );
    expect(found.at(-1)?.codeHash).toBe(expectedCodeHashes.account);

    await chain.node.setCode({ address: localContracts.executor, bytecode: '0x' });
    await chain.node.setCode({ address: localContracts.validator, bytecode: '0x6001' });
    const broken = await inspectContracts(chain.client, localContracts);
    expect(broken.map(({ status }) => status)).toEqual(['ok', 'mismatch', 'ok', 'missing', 'ok']);
  });
});

describe('an unsupported chain', () => {
  it('error: ContractDeploymentError, UnsupportedChainError, Create2DeployerMissingError', async () => {
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
      const failure = deployContracts(careless as typeof wallet, client);
      await expect(failure).rejects.toBeInstanceOf(ContractDeploymentError);
      await expect(failure).rejects.toMatchObject({
        code: 'CONTRACT_DEPLOYMENT_FAILED',
        contract: 'paymaster',
      });
      await expect(inspectContracts(client, localContracts)).rejects.toBeInstanceOf(UnsupportedChainError);
      await client.request({ method: 'anvil_setCode', params: [canonical.create2Deployer, '0x'] } as never);
      await expect(deployContracts(wallet, client)).rejects.toBeInstanceOf(Create2DeployerMissingError);
    } finally {
      await anvil.stop();
    }
  });
});
