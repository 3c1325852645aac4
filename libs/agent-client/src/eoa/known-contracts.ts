import type { Address } from 'viem';

/** Contracts of others by the names that they are known under. For display alone: nothing is decided by it. */
export interface KnownContract {
  readonly address: Address;
  readonly name: string;
}

/** Implementations that wallets are seen to delegate to. */
export const knownImplementations: readonly KnownContract[] = [
  { address: '0xe6Cae83BdE06E4c305530e199D7217f42808555B', name: 'Simple7702Account (EntryPoint v0.8)' },
  { address: '0xa46cc63eBF4Bd77888AA327837d20b23A63a56B5', name: 'Simple7702Account (EntryPoint v0.9)' },
  { address: '0x63c0c19a282a1B52b07dD5a65b58948A07DAE32B', name: 'MetaMask EIP-7702 delegator' },
  { address: '0x7702cb554e6bFb442cb743A7dF23154544a7176C', name: 'Coinbase Smart Wallet EIP-7702 proxy' },
  { address: '0x000000009B1D0aF20D8C6d0A44e162d11F9b8f00', name: 'Uniswap Calibur' },
  { address: '0x69007702764179f14F51cdce752f4f775d74E139', name: 'Alchemy Modular Account' },
  { address: '0x80296FF8D1ED46f8e3C7992664D13B833504c2Bb', name: 'OKX Wallet' },
  { address: '0x5A7FC11397E9a8AD41BF10bf13F22B0a63f96f6d', name: 'Ambire' },
  { address: '0xd6CEDDe84be40893d153Be9d467CD6aD37875b28', name: 'ZeroDev Kernel v3.3' },
  { address: '0x000000004F43C49e93C970E84001853a70923B03', name: 'Biconomy Nexus (MEE 2.0)' },
  { address: '0x00000000383e8cBe298514674Ea60Ee1d1de50ac', name: 'Biconomy Nexus (MEE 2.1)' },
  { address: '0x0000000020fe2F30453074aD916eDeB653eC7E9D', name: 'Biconomy Nexus (MEE 2.2.1)' },
];

/** Spenders of USDC that a wallet may have allowed besides the paymasters of the address book. */
export const knownSpenders: readonly KnownContract[] = [
  { address: '0x000000000022D473030F116dDEE9F6B43aC78BA3', name: 'Permit2' },
  { address: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec', name: 'Circle Paymaster (EntryPoint v0.8)' },
  { address: '0x6C973eBe80dCD8660841D4356bf15c32460271C9', name: 'Circle Paymaster (EntryPoint v0.7)' },
  { address: '0x888888888888Ec68A58AB8094Cc1AD20Ba3D2402', name: 'Pimlico Paymaster (EntryPoint v0.8)' },
  { address: '0x777777777777AeC03fd955926DbF81597e66834C', name: 'Pimlico Paymaster (EntryPoint v0.7)' },
];
