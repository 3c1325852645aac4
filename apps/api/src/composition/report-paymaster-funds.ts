import type { ActiveChain } from '@yield-vault/chains';
import { entryPointV08Abi } from '@yield-vault/contracts';
import type { Logger } from 'pino';

// The limits of one operation stay below a million gas.
const gasOfTenOperations = 10_000_000n;

/** Warn where the suite's own paymaster can hardly pay for operations, or is one that public bundlers refuse. */
export async function reportPaymasterFunds(chain: ActiveChain, logger: Logger): Promise<void> {
  if (chain.paymaster.kind !== 'own') return;
  const { key, rpc, entryPoint, contracts } = chain;
  const facts = { chain: key, paymaster: contracts.paymaster };
  try {
    const [{ deposit, stake }, gasPrice] = await Promise.all([
      rpc.readContract({
        address: entryPoint,
        // The same in every version.
        abi: entryPointV08Abi,
        functionName: 'getDepositInfo',
        args: [contracts.paymaster],
      }),
      rpc.getGasPrice(),
    ]);
    if (deposit < gasPrice * gasOfTenOperations)
      logger.warn(
        { ...facts, depositWei: String(deposit) },
        'the deposit of the paymaster does not last for ten operations: top it up at the entry point',
      );
    if (stake === 0n) logger.warn(facts, 'the paymaster has no stake: public bundlers refuse its operations');
  } catch (err) {
    logger.warn({ ...facts, err }, 'the deposit of the paymaster could not be read');
  }
}
