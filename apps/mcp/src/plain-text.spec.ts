import { longestText, plain, quoted } from './plain-text.js';

describe('plain', () => {
  it('default: names have at most 64 printable characters, in any depth', () => {
    const name = `Vault\n\u202e\u{e0041} é ${'x'.repeat(100)}`;
    const [limited] = plain({ vaults: [{ name, vaultName: name }] }).vaults;
    expect(limited).toEqual({ name: limited!.vaultName, vaultName: `Vault é ${'x'.repeat(55)}…` });
    expect([...limited!.name]).toHaveLength(64);
  });

  it('behavior: other text has at most 500 characters, hex and numbers stay whole', () => {
    const callData = `0x${'ab'.repeat(1_000)}`;
    const assetsDelta = `1.${'0'.repeat(700)}1`;
    const document = {
      detail: 'y'.repeat(501),
      callData,
      assetsDelta,
      apy: 10.5,
      txHash: null,
      flags: ['a'],
    };
    expect(plain(document)).toEqual({ ...document, detail: `${'y'.repeat(499)}…` });
  });
});

it('quoted: a name by default, or text of a given length', () => {
  expect(quoted('x'.repeat(600))).toHaveLength(66);
  expect(quoted('x'.repeat(600), longestText)).toHaveLength(502);
});

it('quoted: a name cannot end its own quotation', () => {
  expect(quoted('a" b')).toBe('"a\' b"');
});
