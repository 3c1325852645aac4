import { erc20Abi, type Address } from 'viem';

/** Read how much of a token a wallet has. */
export const balanceRead = (token: Address, wallet: Address) =>
  ({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] }) as const;
