import { paymasterFault, readFunds, type ActiveChain } from '@yield-vault/chains';
import { paymasterRefreshGas, usdcPaymasterAbi } from '@yield-vault/contracts';
import type { Deployment } from '@yield-vault/deployment';
import { formatEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { judge, type Check } from './check.js';

// A depleted deposit stops every operation, so there is room for several at a time.
const operationsAtATime = 5n;
// Half an hour apart, for a week.
const refreshesOfAWeek = 336n;

/** Our paymaster on a chain, and the account that refreshes its price. */
export function paymasterChecks(chain: ActiveChain, { privateKey }: Deployment['keeper']): readonly Check[] {
  const { key, rpc, contracts } = chain;
  const paymaster = { address: contracts.paymaster, abi: usdcPaymasterAbi } as const;
  const payers = { keeper: privateKey && privateKeyToAccount(privateKey).address };
  const read = () => readFunds(chain, payers);
  return [
    [
      'paymaster deposit',
      key,
      'Run node libs/contracts/bin/yield-vault-contracts.js deploy --deposit; after a pause, the owner sets the ceiling again (docs/operations.md).',
      async () => {
        const funds = await read();
        const { paymasterDeposit = 0n, operationCeiling } = funds;
        if (!operationCeiling) return judge('it is paused, or has no price yet', true);
        const text = `${formatEther(paymasterDeposit)} ETH; an operation may cost ${formatEther(operationCeiling)}`;
        const isShort = paymasterDeposit < operationCeiling * operationsAtATime;
        return judge(text, paymasterFault(funds) !== null, isShort);
      },
    ],
    [
      'paymaster stake',
      key,
      'The owner calls addStake with a delay of a day and the stake that the bundler asks for.',
      async () => {
        const { paymasterStake = 0n } = await read();
        return judge(`${formatEther(paymasterStake)} ETH are locked`, paymasterStake === 0n);
      },
    ],
    [
      'paymaster owner',
      key,
      'Give the ownership to a Safe: the owner can withdraw everything.',
      async () => {
        const owner = await rpc.readContract({ ...paymaster, functionName: 'owner' });
        const code = await rpc.getCode({ address: owner });
        return judge(`${owner} is ${code ? 'a contract' : 'one key'}`, false, !code);
      },
    ],
    [
      'paymaster price',
      key,
      'Start the worker with keeper.privateKey (KEEPER_KEY), or run node libs/contracts/bin/yield-vault-contracts.js refresh-price. While sequencer or feeds are down, wait.',
      async () => {
        const { paymasterPriceValidUntil = 0, paymasterPriceRefreshAt = 0 } = await read();
        const left = paymasterPriceValidUntil - Math.floor(Date.now() / 1_000);
        const text = `it expires in ${left} s`;
        if (left < 0) return judge(text, true);
        await rpc.simulateContract({ ...paymaster, functionName: 'updatePrice' });
        return judge(text, false, paymasterPriceValidUntil - left > paymasterPriceRefreshAt);
      },
    ],
    [
      'keeper',
      key,
      'Set keeper.privateKey (KEEPER_KEY) to the key of an account of its own, and send it ETH for a week of refreshes on each chain.',
      async () => {
        const { keeper } = await read();
        if (keeper === undefined)
          return judge('without keeper.privateKey nobody refreshes an idle price', false, true);
        const refresh = paymasterRefreshGas * (await rpc.getGasPrice());
        const text = `${formatEther(keeper)} ETH; a refresh costs ${formatEther(refresh)}`;
        return judge(text, keeper < refresh, keeper < refresh * refreshesOfAWeek);
      },
    ],
  ];
}
