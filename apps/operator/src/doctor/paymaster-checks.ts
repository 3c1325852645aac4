import { readFunds, type ActiveChain } from '@yield-vault/chains';
import { entryPointV08Abi, paymasterRefreshGas, usdcPaymasterAbi } from '@yield-vault/contracts';
import type { Deployment } from '@yield-vault/deployment';
import { formatEther, parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { judge, type Check } from './check.js';

const dayS = 86_400;
// A depleted deposit stops every operation, so there is room for several at a time.
const operationsAtATime = 5n;
// Half an hour apart, for a week.
const refreshesOfAWeek = 336n;

/** Our paymaster on a chain, and the account that refreshes its price. */
export function paymasterChecks(chain: ActiveChain, { privateKey }: Deployment['keeper']): readonly Check[] {
  const { key, rpc, entryPoint, contracts } = chain;
  const paymaster = { address: contracts.paymaster, abi: usdcPaymasterAbi } as const;
  const account = { address: entryPoint, abi: entryPointV08Abi, args: [contracts.paymaster] } as const;
  const readTerms = () => rpc.readContract({ ...paymaster, functionName: 'terms' });
  const readDeposit = () => rpc.readContract({ ...account, functionName: 'getDepositInfo' });
  return [
    [
      'paymaster deposit',
      key,
      'Call depositTo of the entry point; after a pause, the owner sets the ceiling again.',
      async () => {
        const [usdcPerEther, , , , ceiling] = await readTerms();
        if (ceiling === 0n || usdcPerEther === 0n) return judge('it is paused, or has no price yet', true);
        const { deposit } = await readDeposit();
        const most = (ceiling * parseEther('1')) / usdcPerEther;
        const text = `${formatEther(deposit)} ETH; an operation may cost ${formatEther(most)}`;
        return judge(text, deposit < most, deposit < most * operationsAtATime);
      },
    ],
    [
      'paymaster stake',
      key,
      'The owner calls addStake with a delay of a day and the stake that the bundler asks for.',
      async () => {
        const { staked, stake, unstakeDelaySec } = await readDeposit();
        const text = `${formatEther(stake)} ETH, staked: ${staked}, delay ${unstakeDelaySec} s`;
        return judge(text, !staked || unstakeDelaySec < dayS);
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
      'Start the worker with keeper.privateKey, or run node libs/contracts/bin/yield-vault-contracts.js refresh-price.',
      async () => {
        const [, validUntil, refreshAt] = await readTerms();
        const now = Math.floor(Date.now() / 1_000);
        return judge(`it expires in ${validUntil - now} s`, validUntil < now, refreshAt < now);
      },
    ],
    [
      'paymaster feeds',
      key,
      'Wait for sequencer and feeds: meanwhile the paymaster stores no new price.',
      async () => {
        await rpc.simulateContract({ ...paymaster, functionName: 'updatePrice' });
        return judge('they give a price', false);
      },
    ],
    [
      'keeper',
      key,
      'Set keeper.privateKey to the key of an account of its own, and send it some ETH on each chain.',
      async () => {
        if (!privateKey)
          return judge('without keeper.privateKey nobody refreshes an idle price', false, true);
        const payers = { keeper: privateKeyToAccount(privateKey).address };
        const { keeper = 0n } = await readFunds(chain, payers);
        const refresh = paymasterRefreshGas * (await rpc.getGasPrice());
        const text = `${formatEther(keeper)} ETH; a refresh costs ${formatEther(refresh)}`;
        return judge(text, keeper < refresh, keeper < refresh * refreshesOfAWeek);
      },
    ],
  ];
}
