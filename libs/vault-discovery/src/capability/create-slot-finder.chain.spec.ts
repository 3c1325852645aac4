import { chainFacts } from '@yield-vault/contracts';
import { localUsdcDeployedBytecode } from '@yield-vault/testing/local';
import { type Anvil, startAnvil } from '@yield-vault/testing';
import {
  type Address,
  createTestClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  publicActions,
} from 'viem';
import { createSlotFinder } from './create-slot-finder.js';
import type { Simulator } from './create-simulator.js';

const holder: Address = '0x00000000000000000000000000000000005eed01';
const token: Address = '0x00000000000000000000000000000000c0ffee00';
const slot = (number: number) => number.toString(16).padStart(64, '0');

// balanceOf of tokens by how they lay out storage, and nothing else: one word, computed from the argument.
const answerLoaded = '5460005260206000f3';
const hashOfTwoWords = '6040600020';
const layouts = {
  solidity: (index: number): Hex => `0x6004356000527f${slot(index)}602052${hashOfTwoWords}${answerLoaded}`,
  vyper: (index: number): Hex => `0x7f${slot(index)}600052600435602052${hashOfTwoWords}${answerLoaded}`,
  // ERC-7201: openzeppelin.storage.ERC20
  openZeppelin: (): Hex =>
    `0x6004356000527f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00602052${hashOfTwoWords}${answerLoaded}`,
  solady: (): Hex => `0x6387a211a2600c526004356000526020600c20${answerLoaded}`,
  /** Every balance counts twice. */
  rebasing: (index: number): Hex =>
    `0x6004356000527f${slot(index)}602052${hashOfTwoWords}5460020260005260206000f3`,
};

describe('createSlotFinder', () => {
  let anvil: Anvil;
  let node: ReturnType<typeof clientOf>;
  let asked: number;
  const clientOf = (rpcUrl: string) =>
    createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).extend(publicActions);
  const simulator: Simulator = {
    holder,
    run: async (call) => {
      asked++;
      return (await node.call(call)).data;
    },
  };

  beforeAll(async () => {
    anvil = await startAnvil();
    node = clientOf(anvil.rpcUrl);
  });
  beforeEach(() => (asked = 0));
  afterAll(() => anvil.stop());

  /** The token's balance once the found slot holds an amount. */
  const balanceWith = async (address: Address, found: Hex | undefined) => {
    const { data } = await node.call({
      to: address,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] }),
      stateOverride: [{ address, stateDiff: [{ slot: found!, value: `0x${slot(4_711)}` }] }],
    });
    return BigInt(data!);
  };

  it.each([
    [
      'USDC, whose highest bit means blacklisted',
      localUsdcDeployedBytecode,
      chainFacts(8453).usdc.address,
      1,
    ],
    ['a mapping of Solidity in slot 301', layouts.solidity(301), token, 2],
    ['a mapping of Vyper in slot 17', layouts.vyper(17), token, 1],
    ['the namespace of OpenZeppelin', layouts.openZeppelin(), token, 1],
    ['Solady', layouts.solady(), token, 1],
  ] as const)('default: %s', async (_, bytecode, address, calls) => {
    await node.setCode({ address, bytecode });
    const found = await createSlotFinder()(address, simulator);
    expect(await balanceWith(address, found?.balanceSlot)).toBe(4_711n);
    expect(asked).toBe(calls);
  });

  it('behavior: asks once for each token, in any spelling', async () => {
    await node.setCode({ address: token, bytecode: layouts.solidity(3) });
    const find = createSlotFinder();
    const [first, second] = await Promise.all([
      find(token, simulator),
      find(token.toLowerCase() as Address, simulator),
    ]);
    expect([first === second, asked]).toEqual([true, 1]);
  });

  it.each([
    ['computes its balances', layouts.rebasing(3)],
    ['answers nothing', '0x00'],
    ['answers two words', '0x60406000f3'],
  ] as const)('behavior: no slot for a token that %s', async (_, bytecode) => {
    await node.setCode({ address: token, bytecode });
    expect(await createSlotFinder()(token, simulator)).toBeUndefined();
  });

  it('error: an outage is not remembered', async () => {
    await node.setCode({ address: token, bytecode: layouts.solidity(3) });
    const find = createSlotFinder();
    const outage = new Error('down');
    await expect(find(token, { holder, run: () => Promise.reject(outage) })).rejects.toBe(outage);
    expect(await find(token, simulator)).toMatchObject({ address: token });
  });
});
