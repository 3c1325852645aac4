import { chainFacts } from '@yield-vault/contracts';
import {
  deriveDeployment,
  extendAddressBook,
  localAddressBook,
  type AddressBook,
  type BookDeployment,
} from '../../src/index.js';
import { circlePaymasterTerms } from '../../src/verify/address-book.js';

const base = localAddressBook.deployments[0]!;

/** The local contracts on Base. */
export const local: BookDeployment = base;

/** Contracts for another entry point. Their addresses are invented: hashes do not depend on code. */
export const ofOtherEntryPoint: BookDeployment = {
  ...base,
  entryPoint: '0x0000000000000000000000000000000000000700',
  account: '0x0000000000000000000000000000000000000701',
  executor: '0x0000000000000000000000000000000000000702',
  paymaster: { ...base.paymaster, address: '0x0000000000000000000000000000000000000703' },
};

/** Our contracts with Circle's paymaster. */
export const ofCircle: BookDeployment = {
  ...base,
  account: '0x0000000000000000000000000000000000000801',
  executor: '0x0000000000000000000000000000000000000802',
  paymaster: { ...circlePaymasterTerms, address: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec' },
};

/** Our contracts with the paymaster of a service. */
export const ofService: BookDeployment = {
  ...base,
  account: '0x0000000000000000000000000000000000000901',
  executor: '0x0000000000000000000000000000000000000902',
  paymaster: {
    kind: 'erc7677',
    address: '0x888888888888Ec68A58AB8094Cc1AD20Ba3D2402',
    maxMarkupBps: 500,
    extraGas: 0n,
  },
};

export const vault = '0x3000000000000000000000000000000000000003';
export const otherVault = '0x3000000000000000000000000000000000000004';
export const stranger = '0x00000000000000000000000000000000DeaDBeef';
export const usdc = chainFacts(8453).usdc.address;
export const weth = chainFacts(8453).wrappedNative.address;

/** Several deployments on Base, one on Ethereum, and shares of one vault. */
export const addressBook: AddressBook = extendAddressBook(localAddressBook, {
  deployments: [ofOtherEntryPoint, ofCircle, ofService],
  tokens: [{ chainId: 8453, address: vault, symbol: 'svUSDC', decimals: 18 }],
});

/** The contracts of a deployment whose paymaster somebody else owns, on a real chain. */
export const realDeployment = (chain: string, chainId: number) =>
  deriveDeployment({ chain, chainId, paymasterOwner: stranger });

/** An address book of one deployment. */
export const bookOf = (deployment: BookDeployment) =>
  extendAddressBook({ deployments: [], tokens: localAddressBook.tokens }, { deployments: [deployment] });
