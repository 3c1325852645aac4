import { canonical, localPaymasterOwner, localContracts, contractAddresses } from '@yield-vault/contracts';
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
      expect(canonical.usdc[chainId as 1 | 8453]).toBe(
        book.deployments.find((one) => one.chainId === chainId)?.usdc,
      );
    }
  });

  it('behavior: is one that the parser takes', () => {
    expect(parseAddressBook(book)).toEqual(book);
  });
});

it("agentAddressBook: trusts Circle's paymasters, and none whose owner has a public key", () => {
  const trusted = agentAddressBook.deployments.map(({ chain, chainId, paymaster }) => [
    chain,
    paymaster.kind,
    paymaster.address,
    canonical.circlePaymaster[chainId as 8453],
  ]);
  expect(trusted).toHaveLength(2);
  for (const [, kind, address, circle] of trusted) {
    expect([kind, address]).toEqual(['circle', circle]);
  }
});

describe('deriveDeployment', () => {
  it('default: the local localContracts by the owner of its paymaster', () => {
    const derived = deriveDeployment({ chain: 'base', chainId: 8453, paymasterOwner: localPaymasterOwner });
    expect(derived).toMatchObject({
      ...localContracts,
      paymaster: { kind: 'own', address: localContracts.paymaster },
    });
  });

  it('behavior: another owner, another paymaster, executor and account', () => {
    const derived = deriveDeployment({
      chain: 'ethereum',
      chainId: 1,
      paymasterOwner: stranger,
    });
    const { account, executor, paymaster } = contractAddresses({ paymasterOwner: stranger });
    expect(derived).toMatchObject({
      entryPoint: canonical.entryPointV08,
      account,
      executor,
      paymaster: { address: paymaster },
      usdc: canonical.usdc[1],
    });
    for (const address of [account, executor, paymaster])
      expect(Object.values(localContracts)).not.toContain(address);
  });

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
    ['no deployments', { deployments: undefined }],
    ['a field that nobody reads', { deployments: [{ ...base, paymasters: [] }] }],
    [
      'an address with another checksum',
      { deployments: [{ ...base, account: base!.account.replace(/[a-f]/, (digit) => digit.toUpperCase()) }] },
    ],
    [
      'a paymaster of no known kind',
      { deployments: [{ ...base, paymaster: { ...base!.paymaster, kind: 'any' } }] },
    ],
    ['a negative cap', { deployments: [{ ...base, allowanceCap: -1n }] }],
    ['a limit that nobody reads', { deployments: [{ ...base, gasLimits: { maxGas: 1n } }] }],
    ['a key for two chains', { deployments: [base, { ...base, chainId: 1 }] }],
    ['two keys for a chain', { deployments: [base, { ...base, chain: 'b4se' }] }],
    [
      'a symbol with a line break',
      { deployments: [], tokens: [{ chainId: 1, address: stranger, symbol: 'A\nB', decimals: 1 }] },
    ],
  ])('error: InvalidAddressBookError for %s', (_, book) => {
    expect(() => parseAddressBook(book)).toThrow(InvalidAddressBookError);
  });
});
