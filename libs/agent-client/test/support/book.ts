import { chainFacts } from '@yield-vault/contracts';
import {
  deriveDeployment,
  extendAddressBook,
  localAddressBook,
  type AddressBook,
  type BookDeployment,
} from '../../src/index.js';
import { circlePaymasterTerms } from '../../src/verify/address-book.js';

/** The local contracts on a chain. */
export const localOn = (chainId: number): BookDeployment =>
  localAddressBook.deployments.find((one) => one.chainId === chainId)!;

/** The local contracts on Base. */
export const local = localOn(8453);

/** Contracts for another entry point. Their addresses are invented: hashes do not depend on code. */
export const ofOtherEntryPoint: BookDeployment = {
  ...local,
  entryPoint: '0x0000000000000000000000000000000000000700',
  account: '0x0000000000000000000000000000000000000701',
  executor: '0x0000000000000000000000000000000000000702',
  paymaster: { ...local.paymaster, address: '0x0000000000000000000000000000000000000703' },
};

/** Our contracts with Circle's paymaster. */
export const ofCircle: BookDeployment = {
  ...local,
  paymaster: { ...circlePaymasterTerms, address: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec' },
};

/** Our contracts with the paymaster of a service. */
export const ofService: BookDeployment = {
  ...local,
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

/** The local deployments, several more on Base, and shares of one vault. */
export const addressBook: AddressBook = extendAddressBook(localAddressBook, {
  deployments: [ofOtherEntryPoint, ofCircle, ofService],
  tokens: [{ chainId: 8453, address: vault, symbol: 'svUSDC', decimals: 18 }],
});

/** The contracts of a deployment whose paymaster somebody else owns, on a real chain. */
export const realDeployment = (chainId: number) => deriveDeployment(chainId, { owner: stranger });

/** An address book of one deployment. */
export const bookOf = (deployment: BookDeployment) =>
  extendAddressBook({ deployments: [], tokens: localAddressBook.tokens }, { deployments: [deployment] });
