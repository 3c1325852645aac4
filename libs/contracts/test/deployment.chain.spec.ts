import {
  type Address,
  type Hex,
  concatHex,
  createPublicClient,
  createWalletClient,
  getCreate2Address,
  http,
  keccak256,
  parseEther,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import {
  type PaymasterRoles,
  canonical,
  contractAddresses,
  entryPointDeployment,
  localPaymasterOwner,
  paymasterDeployment,
  walletContracts,
  walletDeployments,
} from '../src/address-book.js';
import { chainFacts } from '../src/chains/chains.js';
import { deployContracts } from '../src/deploy-contracts.js';
import {
  ContractDeploymentError,
  Create2DeployerMissingError,
  KnownKeyError,
  UnsupportedChainError,
} from '../src/errors.js';
import { entryPointV08Abi } from '../src/generated/EntryPointV08.js';
import { usdcPaymasterAbi } from '../src/generated/UsdcPaymaster.js';
import { yieldVaultAccountAbi } from '../src/generated/YieldVaultAccount.js';
import { expectedCodeHashes, inspectContracts } from '../src/inspect-contracts.js';
import { reading } from './support/calls.js';
import { operator, startAnvil, useTestChain } from './support/chain.js';

const names = ['entryPoint', 'validator', 'executor', 'account', 'router', 'paymaster'];
const walletNames = ['account', 'validator', 'executor', 'router'] as const;
const safe: Address = '0x0000000000000000000000000000000000005001';
const other: Address = '0x0000000000000000000000000000000000005002';

describe('address book', () => {
  it('behavior: the frozen addresses follow from these sources', () => {
    for (const name of walletNames) expect(walletDeployments()[name].address).toBe(walletContracts[name]);
    expect(entryPointDeployment.address).toBe(canonical.entryPointV08);
  });

  it('behavior: each address is deployer, salt and creation code', () => {
    const paymaster = paymasterDeployment(chainFacts(1), { owner: safe });
    for (const { address, salt, initCode } of [...Object.values(walletDeployments()), paymaster]) {
      const bytecodeHash = keccak256(initCode);
      expect(getCreate2Address({ from: canonical.create2Deployer, salt, bytecodeHash })).toBe(address);
    }
  });

  it('behavior: chain, owner and pauser move the paymaster and nothing else; the owner is the pauser by default', () => {
    const owner = safe;
    const all = [
      contractAddresses(1, { owner }),
      contractAddresses(8453, { owner }),
      contractAddresses(1, { owner: other }),
      contractAddresses(1, { owner, pauser: other }),
    ];
    expect(new Set(all.map(({ paymaster }) => paymaster)).size).toBe(all.length);
    for (const addresses of all) expect(addresses).toMatchObject(walletContracts);
    expect(contractAddresses(1, { owner, pauser: owner })).toEqual(all[0]);
  });
});

/** A bare chain, and the key of an operator on it. */
async function startOperator(chainId: number, addressIndex: number) {
  const anvil = await startAnvil({ chainId });
  const account = mnemonicToAccount('test test test test test test test test test test test junk', {
    addressIndex,
  });
  const transport = http(anvil.rpcUrl);
  const client = createPublicClient({ transport, pollingInterval: 20, cacheTime: 0 });
  return { chainId, client, wallet: createWalletClient({ account, transport }), stop: anvil.stop };
}

describe('two operators on two chains', () => {
  let operators: readonly (Awaited<ReturnType<typeof startOperator>> & { readonly roles: PaymasterRoles })[];
  beforeAll(async () => {
    operators = [
      { ...(await startOperator(1, 1)), roles: { owner: safe } },
      { ...(await startOperator(8453, 2)), roles: { owner: other, pauser: safe } },
    ];
  });
  afterAll(() => Promise.all(operators.map(({ stop }) => stop())));

  it('default: the same addresses and the same code for wallets; each has a staked paymaster of its own', async () => {
    const codes: (readonly Hex[])[] = [];
    for (const { chainId, client, wallet, roles } of operators) {
      const options = { paymaster: roles, paymasterStakeWei: 5n, paymasterDepositWei: 7n };
      const report = await deployContracts(wallet, client, options);
      const addresses = contractAddresses(chainId, roles);
      expect(report.contracts.map(({ contract, status }) => [contract, status])).toEqual(
        names.map((name) => [name, 'deployed']),
      );
      expect(report.contracts.at(-1)!.address).toBe(addresses.paymaster);
      expect(report).toMatchObject({ paymasterDeposit: 'added', paymasterStake: 5n });

      const code = await Promise.all(
        walletNames.map(async (name) => (await client.getCode({ address: walletContracts[name] }))!),
      );
      codes.push(code);
      const { paymaster: _, ...expected } = expectedCodeHashes;
      expect(Object.fromEntries(code.map((each, index) => [walletNames[index], keccak256(each)]))).toEqual(
        expected,
      );
      const found = await inspectContracts(client, addresses);
      expect(found.map(({ contract, status }) => [contract, status])).toEqual(
        names.map((name) => [name, 'ok']),
      );
      const read = reading(client);
      const paymaster = (name: 'owner' | 'pauser' | 'usdc' | 'highestCeiling') =>
        read(addresses.paymaster, usdcPaymasterAbi, name);
      const facts = chainFacts(chainId);
      expect(await paymaster('owner')).toBe(roles.owner);
      expect(await paymaster('pauser')).toBe(roles.pauser ?? roles.owner);
      expect(await paymaster('usdc')).toBe(facts.usdc.address);
      expect(await paymaster('highestCeiling')).toBe(facts.paymaster.highestCeiling);
      expect(
        await read(canonical.entryPointV08, entryPointV08Abi, 'getDepositInfo', [addresses.paymaster]),
      ).toMatchObject({ deposit: 7n, staked: true, stake: 5n, unstakeDelaySec: 86_400 });

      const ofAccount = (['defaultValidator', 'defaultExecutor', 'entryPoint'] as const).map((name) =>
        read(addresses.account, yieldVaultAccountAbi, name),
      );
      const { validator, executor } = walletContracts;
      expect(await Promise.all(ofAccount)).toEqual([validator, executor, canonical.entryPointV08]);
    }
    expect(codes[0]).toEqual(codes[1]);
  });
});

describe('deployContracts', () => {
  const chain = useTestChain();
  const paymaster = { owner: localPaymasterOwner };
  const addresses = contractAddresses(8453, paymaster);

  it('behavior: again finds everything present and adds nothing', async () => {
    const nonce = await chain.client.getTransactionCount(operator);
    const again = await deployContracts(chain.wallet, chain.client, {
      paymaster,
      paymasterDepositWei: parseEther('100'),
      paymasterStakeWei: parseEther('1'),
    });
    expect(again.contracts.map(({ status }) => status)).toEqual(names.map(() => 'present'));
    expect(again.paymasterDeposit).toBe('unchanged');
    expect(await chain.client.getTransactionCount(operator)).toBe(nonce);
  });

  it('behavior: anybody tops up the deposit by what is missing', async () => {
    const stranger = chain.walletOf(await chain.agent());
    const options = { paymaster, paymasterDepositWei: parseEther('101') };
    expect(await deployContracts(stranger, chain.client, options)).toMatchObject({
      paymasterDeposit: 'added',
    });
    const deposit = await chain.read(canonical.entryPointV08, entryPointV08Abi, 'balanceOf', [
      addresses.paymaster,
    ]);
    expect(deposit).toBe(parseEther('101'));
  });

  it('behavior: reports the stake that is missing where a stranger deployed the paymaster first', async () => {
    const stranger = chain.walletOf(await chain.agent());
    const roles = { owner: safe };
    const { salt, initCode } = paymasterDeployment(chainFacts(8453), roles);
    const data = concatHex([salt, initCode]);
    await chain.mined(stranger.sendTransaction({ to: canonical.create2Deployer, data }));
    const options = { paymaster: roles, paymasterStakeWei: 5n };
    const { contracts, paymasterStake } = await deployContracts(chain.wallet, chain.client, options);
    expect(contracts.at(-1)!.status).toBe('present');
    expect(paymasterStake).toBe(0n);
  });

  it.each(['owner', 'pauser'] as const)(
    'error: the key of the %s is public, unless the node is a local one',
    async (role) => {
      const roles = { owner: safe, pauser: other, [role]: localPaymasterOwner };
      const client = (version: string) =>
        ({
          ...chain.wallet,
          request: (call: { readonly method: string }) =>
            call.method === 'web3_clientVersion'
              ? Promise.resolve(version)
              : chain.wallet.request(call as never),
        }) as typeof chain.wallet;
      const deployment = deployContracts(client('Geth/v1.16.0'), chain.client, { paymaster: roles });
      await expect(deployment).rejects.toBeInstanceOf(KnownKeyError);
      await expect(deployment).rejects.toMatchObject({ role, address: localPaymasterOwner });
      const { contracts } = await deployContracts(client('HardhatNetwork/2.22'), chain.client, {
        paymaster: roles,
      });
      expect(contracts.at(-1)!.status).toBe('deployed');
    },
  );

  it('behavior: inspectContracts reports missing and foreign contracts', async () => {
    await chain.node.setCode({ address: addresses.executor, bytecode: '0x' });
    await chain.node.setCode({ address: addresses.validator, bytecode: '0x6001' });
    const broken = await inspectContracts(chain.client, addresses);
    expect(broken.map(({ status }) => status)).toEqual(['ok', 'mismatch', 'missing', 'ok', 'ok', 'ok']);
  });

  it('error: ContractDeploymentError, Create2DeployerMissingError', async () => {
    // Its address was used before, so the transaction reverts.
    const careless = {
      ...chain.wallet,
      sendTransaction: (request: object) =>
        chain.wallet.sendTransaction({ ...request, gas: 8_000_000n } as never),
    } as typeof chain.wallet;
    const failure = deployContracts(careless, chain.client);
    await expect(failure).rejects.toBeInstanceOf(ContractDeploymentError);
    await expect(failure).rejects.toMatchObject({ contract: 'executor' });
    await chain.node.setCode({ address: canonical.create2Deployer, bytecode: '0x' });
    const refused = deployContracts(chain.wallet, chain.client);
    await expect(refused).rejects.toBeInstanceOf(Create2DeployerMissingError);
  });

  it('error: UnsupportedChainError', async () => {
    const { client, wallet, stop } = await startOperator(31_337, 0);
    try {
      await expect(deployContracts(wallet, client)).rejects.toBeInstanceOf(UnsupportedChainError);
      await expect(inspectContracts(client, addresses)).rejects.toBeInstanceOf(UnsupportedChainError);
    } finally {
      await stop();
    }
  });
});
