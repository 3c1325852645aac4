import { getChainAddresses } from '@morpho-org/blue-sdk';
import { canonical } from '@yield-vault/contracts';
import { type Anvil, startAnvil } from '@yield-vault/testing';
import { localMulticall3DeployedBytecode } from '@yield-vault/testing/local';
import {
  type Address,
  concat,
  createTestClient,
  encodeAbiParameters,
  getAddress,
  type Hex,
  http,
  keccak256,
  maxUint256,
  numberToHex,
  pad,
  parseAbiParameters,
  publicActions,
  stringToHex,
  toHex,
  zeroAddress,
} from 'viem';
import { buildTrackedVault } from '../../test/build-snapshots.js';
import { respondContract, type Responses } from '../../test/respond-contract.js';
import type { ContractFacts } from '../ports.js';
import { createContractReader } from './create-contract-reader.js';
import { toRead } from './group-reader.js';
import { riskySelectors } from './read-morpho.js';

jest.setTimeout(60_000);

const never = new AbortController().signal;
const vault: Address = '0x1000000000000000000000000000000000000001';
const [admin, safe, timelock, key] = [0xa1n, 0xa2n, 0xa3n, 0xa4n].map((end) =>
  getAddress(numberToHex(end, { size: 20 })),
) as [Address, Address, Address, Address];
const on = (signature: string, ...words: (bigint | Hex)[]): Hex =>
  toRead(vault, signature, ...words).callData;
const word = (value: bigint | Hex): Hex =>
  typeof value === 'bigint' ? numberToHex(value, { size: 32 }) : pad(value);
const addresses = (count: number): Hex =>
  concat([
    word(32n),
    word(BigInt(count)),
    ...Array.from({ length: count }, (_, index) => word(BigInt(index + 1))),
  ]);
/** Runtime code of the proxy of Safe 1.3.0. */
const safeProxy: Hex =
  '0x608060405273ffffffffffffffffffffffffffffffffffffffff600054167fa619486e0000000000000000000000000000000000000000000000000000000060003514156050578060005260206000f35b3660008037600080366000845af43d6000803e60008114156070573d6000fd5b3d6000f3fea2646970667358221220d1429297349653a4918076d650332de1a1068c5f3e07c5c82360c277770b955264736f6c63430007060033';
const safeSingleton: Address = '0x3E5c63644E683549055b9Be8653de26E0B4CD36E';

describe('createContractReader on a local chain', () => {
  let anvil: Anvil;
  let node: ReturnType<typeof clientOf>;
  let snapshot: Hex;
  const clientOf = (rpcUrl: string) =>
    createTestClient({ mode: 'anvil', transport: http(rpcUrl), cacheTime: 0 }).extend(publicActions);
  const place = (address: Address, responses: Responses) =>
    node.setCode({ address, bytecode: respondContract(responses) });
  const placeSafe = async (threshold: bigint, singleton = safeSingleton) => {
    await place(singleton, { [on('getThreshold()')]: word(threshold), [on('getOwners()')]: addresses(5) });
    await node.setCode({ address: safe, bytecode: safeProxy });
    await node.setStorageAt({ address: safe, index: word(0n), value: pad(singleton) });
  };
  const placeOwned = (owner: Address) => place(vault, { [on('owner()')]: word(owner) });
  const setSlot = (name: string, value: Address) =>
    node.setStorageAt({
      address: vault,
      index: numberToHex(BigInt(keccak256(toHex(name))) - 1n, { size: 32 }),
      value: pad(value),
    });
  const readAll = async (protocol: string, ...addresses: Address[]): Promise<readonly ContractFacts[]> => {
    const reader = createContractReader({
      chain: { chainId: 8453, rpc: node as never },
      now: () => 1_800_000_000_500,
    });
    const tracked = addresses.map((address) => buildTrackedVault({ address, protocol }));
    return reader(tracked, await node.getBlockNumber(), never);
  };
  const read = async (protocol = 'other') => (await readAll(protocol, vault))[0]!;

  beforeAll(async () => {
    anvil = await startAnvil({ chainId: 8453 });
    node = clientOf(anvil.rpcUrl);
    await node.setCode({ address: canonical.multicall3, bytecode: localMulticall3DeployedBytecode });
  });
  beforeEach(async () => {
    snapshot = await node.snapshot();
  });
  afterEach(async () => {
    await node.revert({ id: snapshot });
  });
  it.each<[string, () => Promise<unknown>, object]>([
    ['a key', () => placeOwned(key), { admin: 'eoa', owner: key }],
    [
      'a key that delegates by EIP-7702',
      async () => {
        await node.setCode({ address: key, bytecode: concat(['0xef0100', vault]) });
        await placeOwned(key);
      },
      { admin: 'eoa' },
    ],
    ['nobody', () => placeOwned(zeroAddress), { admin: 'immutable', owner: null }],
    [
      'a Safe',
      async () => {
        await placeSafe(3n);
        await placeOwned(safe);
      },
      { admin: 'multisig', safeThreshold: 3, safeOwners: 5, timelockSeconds: null },
    ],
    [
      'the timelock of OpenZeppelin',
      async () => {
        await place(timelock, { [on('getMinDelay()')]: word(172_800n) });
        await placeOwned(timelock);
      },
      { admin: 'timelock', timelockSeconds: 172_800 },
    ],
    [
      'a contract of one key that claims to be a timelock',
      async () => {
        await place(timelock, { [on('getMinDelay()')]: word(172_800n), [on('owner()')]: word(key) });
        await placeOwned(timelock);
      },
      { admin: 'eoa', timelockSeconds: null },
    ],
    [
      'a contract of a Safe and a key',
      async () => {
        await placeSafe(3n);
        await place(admin, { [on('owner()')]: word(safe), [on('governance()')]: word(key) });
        await placeOwned(admin);
      },
      { admin: 'eoa' },
    ],
    [
      'a contract that claims to be a Safe',
      async () => {
        await place(admin, {
          [on('masterCopy()')]: word(safeSingleton),
          [on('getThreshold()')]: word(8n),
          [on('getOwners()')]: addresses(12),
        });
        await placeOwned(admin);
      },
      { admin: null, isAdminPartial: true },
    ],
    [
      'the proxy of a Safe before another contract',
      async () => {
        await placeSafe(3n, admin);
        await placeOwned(safe);
      },
      { admin: null, isAdminPartial: true },
    ],
    [
      'the timelock of Compound, whose admin is a Safe',
      async () => {
        await placeSafe(2n);
        await place(timelock, { [on('delay()')]: word(86_400n), [on('admin()')]: word(safe) });
        await placeOwned(timelock);
      },
      { admin: 'timelock', timelockSeconds: 86_400, safeThreshold: 2 },
    ],
    [
      'a contract that says nothing',
      async () => {
        await place(admin, { [on('x()')]: '0x' });
        await placeOwned(admin);
      },
      { admin: null, isAdminPartial: true },
    ],
    [
      'two contracts that own each other',
      async () => {
        await place(admin, { [on('owner()')]: word(timelock) });
        await place(timelock, { [on('owner()')]: word(admin) });
        await placeOwned(admin);
      },
      { admin: null, isAdminPartial: true },
    ],
    [
      'a timelock, and managed by a key',
      async () => {
        await place(timelock, { [on('getMinDelay()')]: word(172_800n) });
        await place(vault, { [on('owner()')]: word(timelock), [on('management()')]: word(key) });
      },
      { admin: 'eoa', owner: timelock },
    ],
    [
      'a Safe, and managed by a contract that says nothing',
      async () => {
        await placeSafe(3n);
        await place(admin, {});
        await place(vault, { [on('owner()')]: word(safe), [on('management()')]: word(admin) });
      },
      { admin: 'multisig', safeThreshold: 3, isAdminPartial: true },
    ],
    [
      'a Safe, and its proxy admin by a key',
      async () => {
        await placeSafe(3n);
        await placeOwned(safe);
        await place(admin, { [on('owner()')]: word(key) });
        await setSlot('eip1967.proxy.admin', admin);
      },
      { admin: 'eoa', owner: safe },
    ],
    [
      'nobody, and its beacon by a Safe',
      async () => {
        await placeSafe(1n);
        await placeOwned(zeroAddress);
        await place(admin, { [on('owner()')]: word(safe) });
        await setSlot('eip1967.proxy.beacon', admin);
      },
      { admin: 'multisig', safeThreshold: 1 },
    ],
    [
      'nobody, although its code can be replaced',
      async () => {
        await placeOwned(zeroAddress);
        await setSlot('eip1967.proxy.implementation', admin);
      },
      { admin: null, isAdminPartial: true },
    ],
    [
      'an owner that is no address',
      () => place(vault, { [on('owner()')]: word(2n ** 255n) }),
      { admin: null, owner: null },
    ],
    ['a contract that burns all gas', () => place(vault, 'burn'), { admin: null }],
    [
      'a timelock of longer than a lifetime',
      async () => {
        await place(timelock, { [on('getMinDelay()')]: word(maxUint256) });
        await placeOwned(timelock);
      },
      { admin: null, timelockSeconds: null },
    ],
  ])('behavior: owned by %s', async (_, arrange, expected) => {
    await arrange();
    const { governance, isAdminPartial } = await read();
    expect({ ...governance, isAdminPartial }).toMatchObject(expected);
  });

  it('behavior: a paused reserve of Aave is a flag', async () => {
    const { asset } = buildTrackedVault().entry;
    await place(vault, { [on('POOL()')]: word(admin) });
    await place(admin, { [on('getConfiguration(address)', asset.address)]: word(1n << 60n) });
    expect((await read('aave-v3')).flags).toEqual(['reserve-paused']);
  });

  describe('vaults of Morpho', () => {
    const { morpho, metaMorphoFactory, vaultV2Factory, publicAllocator, ...factories } =
      getChainAddresses(8453);
    const [hostile, token, oracle] = [0xb1n, 0xb2n, 0xb3n].map((end) =>
      getAddress(numberToHex(end, { size: 20 })),
    ) as [Address, Address, Address];
    const words = (...values: (bigint | Hex)[]) => concat(values.map(word));
    const text = (value: string) => encodeAbiParameters(parseAbiParameters('string'), [value]);
    const parametersOfIdle = words(token, zeroAddress, zeroAddress, zeroAddress, 0n);
    const parameters = words(token, token, oracle, zeroAddress, 86n * 10n ** 16n);
    const [idle, market] = [keccak256(parametersOfIdle), keccak256(parameters)];
    const roles: Record<Hex, Hex> = { [on('owner()')]: word(key), [on('curator()')]: word(key) };
    const version1: Record<Hex, Hex> = {
      ...roles,
      [on('guardian()')]: word(safe),
      [on('timelock()')]: word(259_200n),
      [on('fee()')]: word(10n ** 17n),
      [on('withdrawQueueLength()')]: word(2n),
      [on('withdrawQueue(uint256)', 0n)]: idle,
      [on('withdrawQueue(uint256)', 1n)]: market,
      [on('pendingTimelock()')]: words(86_400n, 1_800_000_000n),
      [on('pendingGuardian()')]: words(zeroAddress, 1_790_000_000n),
      [on('pendingCap(bytes32)', market)]: words(5_000n, 1_795_000_000n),
    };
    const lending: Record<Hex, Hex> = {
      [on('market(bytes32)', idle)]: words(400n, 400_000_000n, 0n, 0n, 0n, 0n),
      [on('idToMarketParams(bytes32)', idle)]: parametersOfIdle,
      [on('position(bytes32,address)', idle, vault)]: words(400_000_000n, 0n, 0n),
      [on('market(bytes32)', market)]: words(2_000n, 2_000_000_000n, 1_500n, 0n, 0n, 0n),
      [on('idToMarketParams(bytes32)', market)]: parameters,
      [on('position(bytes32,address)', market, vault)]: words(600_000_000n, 0n, 0n),
    };
    const placeZero = (address: Address, responses: Responses = {}) =>
      node.setCode({ address, bytecode: respondContract(responses, 'zero') });
    const placeToken = (symbol: Hex) => place(token, { [on('symbol()')]: symbol });

    beforeEach(async () => {
      await placeSafe(2n);
      await placeZero(vault, version1);
      await place(morpho, lending);
      await placeToken(text('wstETH'));
      await place(oracle, {});
      await placeZero(publicAllocator!);
      await place(metaMorphoFactory!, {
        [on('isMetaMorpho(address)', vault)]: word(1n),
        [on('isMetaMorpho(address)', hostile)]: word(1n),
      });
    });

    it('default: roles, fees, markets and announced changes', async () => {
      expect(await read('morpho')).toEqual({
        vault: 1,
        checkedAt: 1_800_000_000,
        governance: {
          admin: 'eoa',
          timelockSeconds: 259_200,
          owner: key,
          curator: key,
          guardian: safe,
          safeThreshold: null,
          safeOwners: null,
          pendingChanges: [
            {
              change: `guardian: ${zeroAddress} instead of ${safe}`,
              loosens: true,
              validAt: '2026-09-21T14:13:20.000Z',
            },
            {
              change: `cap of market ${market}: 5000 base units`,
              loosens: true,
              validAt: '2026-11-18T11:06:40.000Z',
            },
            {
              change: 'timelock: 86400 s instead of 259200 s',
              loosens: true,
              validAt: '2027-01-15T08:00:00.000Z',
            },
          ],
        },
        isAdminPartial: false,
        fees: { performancePercent: 10, managementPercent: 0 },
        markets: [
          {
            marketId: market,
            sharePercent: 60,
            collateral: token,
            collateralSymbol: 'wstETH',
            lltvPercent: 86,
            oracle,
            utilisationPercent: 75,
          },
          {
            marketId: idle,
            sharePercent: 40,
            collateral: null,
            collateralSymbol: null,
            lltvPercent: 0,
            oracle: null,
            utilisationPercent: 0,
          },
        ],
        words: { curator: 'guarded', oracle: 'custom', strategy: 'isolated' },
        flags: [],
      });
    });

    it.each<[string, () => Promise<unknown>]>([
      ['a contract that says nothing', () => place(safe, {})],
      ['a Safe of one key', () => placeSafe(1n)],
    ])('behavior: %s guards nothing', async (_, arrange) => {
      await arrange();
      expect((await read('morpho')).words).not.toHaveProperty('curator');
    });

    it('behavior: the delay of the vault binds an owner of whom nothing is known', async () => {
      await place(admin, {});
      await placeZero(vault, {
        ...version1,
        [on('owner()')]: word(admin),
        [on('curator()')]: word(zeroAddress),
      });
      const { governance, isAdminPartial } = await read('morpho');
      expect([governance.admin, governance.timelockSeconds, isAdminPartial]).toEqual([
        'timelock',
        259_200,
        false,
      ]);
    });

    it('behavior: version 2 with an adapter of others', async () => {
      const timelocks = riskySelectors.map((selector, index) => [
        on('timelock(bytes4)', pad(selector, { dir: 'right', size: 32 })),
        word(259_200n + BigInt(index)),
      ]);
      await placeZero(vault, {
        ...roles,
        ...Object.fromEntries(timelocks),
        [on('adaptersLength()')]: word(1n),
        [on('adapters(uint256)', 0n)]: word(admin),
        [on('performanceFee()')]: word(10n ** 17n),
        [on('managementFee()')]: word(317_097_919n),
      });
      await place(metaMorphoFactory!, {});
      await place(vaultV2Factory!, { [on('isVaultV2(address)', vault)]: word(1n) });
      await placeZero(factories.morphoVaultV1AdapterFactory!);
      await placeZero(factories.morphoMarketV1AdapterFactory!);
      await placeZero(factories.morphoMarketV1AdapterV2Factory!);
      const { governance, fees, markets, words } = await read('morpho');
      expect(governance).toMatchObject({ admin: 'eoa', curator: key, timelockSeconds: 259_200 });
      expect(fees.performancePercent).toBe(10);
      expect(fees.managementPercent).toBeCloseTo(1);
      expect({ markets, words }).toEqual({ markets: [], words: { strategy: 'aggregator' } });
    });

    it.each<[string, Hex]>([
      ['reverts', respondContract({})],
      ['burns all gas', respondContract('burn')],
      [
        'claims ten million markets',
        respondContract({ ...version1, [on('withdrawQueueLength()')]: word(10n ** 7n) }, 'zero'),
      ],
      [
        'announces a change for the end of time',
        respondContract({ [on('pendingTimelock()')]: words(0n, 2n ** 64n - 1n) }, 'zero'),
      ],
    ])('behavior: a contract that %s is unknown, and others are read', async (_, bytecode) => {
      await node.setCode({ address: hostile, bytecode });
      const [other, own] = await readAll('morpho', hostile, vault);
      expect(other).toMatchObject({
        markets: [],
        fees: { performancePercent: null, managementPercent: null },
      });
      expect(own!.markets).toHaveLength(2);
    });

    it('behavior: a contract that no factory of Morpho made says nothing of markets', async () => {
      await place(metaMorphoFactory!, {});
      expect(await read('morpho')).toMatchObject({ markets: [], words: {}, governance: { curator: null } });
    });

    it('behavior: a symbol of a megabyte, or none that is text, is left out', async () => {
      for (const symbol of [text('A'.repeat(1_000_000)), stringToHex('\xff'.repeat(40))]) {
        await placeToken(symbol);
        const [market] = (await read('morpho')).markets;
        expect(market).toMatchObject({ collateralSymbol: null, sharePercent: 60 });
      }
    });
  });

  afterAll(() => anvil.stop());
});
