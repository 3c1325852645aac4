import { canonical, chainFacts, contractAddresses, localPaymasterOwner } from '@yield-vault/contracts';
import { stranger } from '../../test/support/book.js';
import {
  agentAddressBook,
  deriveDeployment,
  extendAddressBook,
  InvalidAddressBookError,
  localAddressBook,
  parseAddressBook,
} from './address-book.js';

const [base] = localAddressBook.deployments;

describe.each([
  ['agentAddressBook', agentAddressBook],
  ['localAddressBook', localAddressBook],
])('%s', (_, book) => {
  it('behavior: every address follows from code', () => {
    for (const { chainId, account, validator, executor, paymaster } of book.deployments) {
      const derived = contractAddresses({
        ...(paymaster.kind === 'own' ? {} : { paymaster: paymaster.address }),
      });
      expect({ account, validator, executor, paymaster: paymaster.address }).toEqual(derived);
      expect(chainFacts(chainId as 1 | 8453).usdc.address).toBe(
        book.deployments.find((one) => one.chainId === chainId)?.usdc,
      );
    }
  });

  it('behavior: is one that the parser takes', () => {
    expect(parseAddressBook(book)).toEqual(book);
  });
});

it("agentAddressBook: trusts Circle's paymasters, and none whose owner has a public key", () => {
  const { circlePaymaster } = canonical;
  expect(agentAddressBook.deployments.map(({ chainId, paymaster }) => [chainId, paymaster])).toEqual(
    ([8453, 1] as const).map((chainId) => [
      chainId,
      expect.objectContaining({ kind: 'circle', address: circlePaymaster[chainId] }),
    ]),
  );
});

describe('deriveDeployment', () => {
  it.each([localPaymasterOwner, stranger] as const)(
    'default: every address follows from the owner %s',
    (owner) => {
      const { paymaster, ...contracts } = contractAddresses(8453, { owner: owner });
      const derived = deriveDeployment({ chain: 'ethereum', chainId: 1, paymasterOwner: owner });
      expect(derived).toMatchObject({
        ...contracts,
        paymaster: { kind: 'own', address: paymaster },
        usdc: chainFacts(1).usdc.address,
      });
    },
  );

  it('error: InvalidAddressBookError where no USDC is known', () => {
    const elsewhere = { chain: 'optimism', chainId: 10, paymasterOwner: stranger } as const;
    expect(() => deriveDeployment(elsewhere)).toThrow(InvalidAddressBookError);
  });
});

describe('extendAddressBook', () => {
  it('default: adds deployments and names tokens anew, and leaves the book as it was', () => {
    const own = { ...base!, paymaster: { ...base!.paymaster, address: stranger } } as const;
    const usdc = { chainId: 8453, address: base!.usdc, symbol: 'USD Coin', decimals: 6 };
    const extended = extendAddressBook(agentAddressBook, { deployments: [own], tokens: [usdc] });
    expect(extended.deployments).toEqual([...agentAddressBook.deployments, own]);
    expect(extended.tokens[0]).toEqual(usdc);
    expect(agentAddressBook.deployments).not.toContainEqual(own);
  });
});

describe('parseAddressBook', () => {
  it('behavior: amounts of JSON, addresses in lower case, tokens left out', () => {
    const json = JSON.stringify(base, (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    const book = JSON.parse(json.replace(base!.account, base!.account.toLowerCase())) as unknown;
    expect(parseAddressBook({ deployments: [book] })).toEqual({ deployments: [base], tokens: [] });
  });

  it.each<[string, object]>([
    ['a field that nobody reads', { deployments: [{ ...base, paymasters: [] }] }],
    [
      'an address with another checksum',
      { deployments: [{ ...base, account: base!.account.replace(/[a-f]/, (digit) => digit.toUpperCase()) }] },
    ],
    ['a negative cap', { deployments: [{ ...base, allowanceCap: -1n }] }],
    ['a limit that nobody reads', { deployments: [{ ...base, gasLimits: { maxGas: 1n } }] }],
    ['a key for two chains', { deployments: [base, { ...base, chainId: 1 }] }],
    [
      'a symbol with a line break',
      { deployments: [], tokens: [{ chainId: 1, address: stranger, symbol: 'A\nB', decimals: 1 }] },
    ],
  ])('error: InvalidAddressBookError for %s', (_, book) => {
    expect(() => parseAddressBook(book)).toThrow(InvalidAddressBookError);
  });
});
