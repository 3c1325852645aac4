import { encodeFunctionData, parseAbi, parseEther, type Address } from 'viem';
import { entryPointV08Abi } from '../generated/EntryPointV08.js';
import { sendAsLocalOperator, type LocalNode } from './local-node.js';

const depositWei = parseEther('1000');
const stakeWei = parseEther('10');
const unstakeDelaySeconds = 86_400;

// Local paymasters take a stake from anybody.
const stakeAbi = parseAbi(['function addStake(uint32 unstakeDelaySeconds) payable']);

/** Give a local paymaster a deposit and a stake at its entry point, out of the local operator's ether. */
export async function fundLocalPaymaster(
  node: LocalNode,
  paymaster: Address,
  entryPoint: Address,
): Promise<void> {
  const deposit = encodeFunctionData({
    abi: entryPointV08Abi,
    functionName: 'depositTo',
    args: [paymaster],
  });
  await sendAsLocalOperator(node, entryPoint, deposit, depositWei);
  const stake = encodeFunctionData({
    abi: stakeAbi,
    functionName: 'addStake',
    args: [unstakeDelaySeconds],
  });
  await sendAsLocalOperator(node, paymaster, stake, stakeWei);
}
