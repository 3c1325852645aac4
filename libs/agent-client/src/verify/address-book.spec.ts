import {
  canonical,
  chainFacts,
  contractAddresses,
  findChainFacts,
  knownChains,
  localPaymasterOwner,
  UnsupportedChainError,
  walletContracts,
} from '@yield-vault/contracts';
import { local, stranger } from '../../test/support/book.js';
import {
  agentAddressBook,
  deriveDeployment,
  extendAddressBook,
  InvalidAddressBookError,
  localAddressBook,
  parseAddressBook,
} from './address-book.js';

describe.each([
  ['agentAddressBook', agentAddressBook],
  ['localAddressBook', localAddressBook],
])('%s', (_, book) => {
  it('behavior: every address but a third-party paymaster’s follows from code', () => {
    const { account, validator, executor } = walletContracts;
    for (const deployment of book.deployments) {
      const { key: chain, chainId, usdc, allowanceCap } = chainFacts(deployment.chainId);
      const entryPoint = canonical.entryPointV08;
      const expected = { chain, chainId, entryPoint, account, validator, executor, allowanceCap };
      expect(deployment).toMatchObject({ ...expected, usdc: usdc.address });
    }
  });

  it('behavior: is one that the parser takes', () => {
    expect(parseAddressBook(book)).toEqual(book);
  });
});

it("agentAddressBook: trusts Circle's paymasters on every chain that has one, and none whose owner has a public key", () => {
  const withCircle = knownChains.filter(({ circlePaymaster }) => circlePaymaster);
  expect(agentAddressBook.deployments.map(({ chainId, paymaster }) => [chainId, paymaster])).toEqual(
    withCircle.map(({ chainId, circlePaymaster }) => [
      chainId,
      expect.objectContaining({ kind: 'circle', address: circlePaymaster }),
    ]),
  );
});

it('localAddressBook: every known chain, with the paymaster whose owner has a public key', () => {
  expect(localAddressBook.deployments.map(({ chainId, paymaster }) => [chainId, paymaster.address])).toEqual(
    knownChains.map(({ chainId }) => [
      chainId,
      contractAddresses(chainId, { owner: localPaymasterOwner }).paymaster,
    ]),
  );
});

describe('deriveDeployment', () => {
  it.each([{ owner: stranger }, { owner: stranger, pauser: localPaymasterOwner }] as const)(
    'default: the address of the paymaster follows from its roles %j',
    (roles) => {
      const { account, paymaster: address } = contractAddresses(1, roles);
      const expected = { chain: 'ethereum', chainId: 1, account, paymaster: { kind: 'own', address } };
      expect(deriveDeployment(1, roles)).toMatchObject(expected);
    },
  );

  it('error: UnsupportedChainError of an unknown chain', () => {
    const unknown = 424_242;
    expect(findChainFacts(unknown)).toBeUndefined();
    expect(() => deriveDeployment(unknown, { owner: stranger })).toThrow(UnsupportedChainError);
  });
});

describe('extendAddressBook', () => {
  it('default: adds deployments and names tokens anew, and leaves the book as it was', () => {
    const own = { ...local, paymaster: { ...local.paymaster, address: stranger } } as const;
    const usdc = { chainId: 8453, address: local.usdc, symbol: 'USD Coin', decimals: 6 };
    const extended = extendAddressBook(agentAddressBook, { deployments: [own], tokens: [usdc] });
    expect(extended.deployments).toEqual([...agentAddressBook.deployments, own]);
    expect(extended.tokens[0]).toEqual(usdc);
    expect(agentAddressBook.deployments).not.toContainEqual(own);
  });
});

describe('parseAddressBook', () => {
  it('behavior: amounts of JSON, addresses in lower case, tokens left out', () => {
    const json = JSON.stringify(local, (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    const book = JSON.parse(json.replace(local.account, local.account.toLowerCase())) as unknown;
    expect(parseAddressBook({ deployments: [book] })).toEqual({ deployments: [local], tokens: [] });
  });

  it.each<[string, object]>([
    ['a field that nobody reads', { deployments: [{ ...local, paymasters: [] }] }],
    [
      'an address with another checksum',
      {
        deployments: [{ ...local, account: local.account.replace(/[a-f]/, (digit) => digit.toUpperCase()) }],
      },
    ],
    ['a negative cap', { deployments: [{ ...local, allowanceCap: -1n }] }],
    ['a limit that nobody reads', { deployments: [{ ...local, gasLimits: { maxGas: 1n } }] }],
    ['a key for two chains', { deployments: [local, { ...local, chainId: 1 }] }],
    [
      'a symbol with a line break',
      { deployments: [], tokens: [{ chainId: 1, address: stranger, symbol: 'A\nB', decimals: 1 }] },
    ],
  ])('error: InvalidAddressBookError for %s', (_, book) => {
    expect(() => parseAddressBook(book)).toThrow(InvalidAddressBookError);
  });
});
