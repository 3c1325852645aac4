import { encodeFunctionData, erc20Abi, erc4626Abi } from 'viem';
import type { Contender } from './contender.js';

/** The floor: the EOA sends the transactions itself, approve and deposit apart. */
export const plainTransactions: Contender = {
  name: 'plain transactions of the EOA',
  setUp: () => Promise.resolve({ gasUsed: 0n }),
  deposit: async (bench, account, vault, assets) => {
    const approve = await bench.send(account, {
      to: vault.asset,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [vault.address, assets] }),
    });
    const deposit = await bench.send(account, {
      to: vault.address,
      data: encodeFunctionData({ abi: erc4626Abi, functionName: 'deposit', args: [assets, account.address] }),
    });
    return { gasUsed: approve.gasUsed + deposit.gasUsed };
  },
  redeem: async (bench, account, vault, shares) => {
    const { address } = account;
    const redeem = await bench.send(account, {
      to: vault.address,
      data: encodeFunctionData({ abi: erc4626Abi, functionName: 'redeem', args: [shares, address, address] }),
    });
    return { gasUsed: redeem.gasUsed };
  },
};
