import { agentAddressBook } from './address-book/agent-address-book.js';
import { parseSetupExpectations } from './parse-expectations.js';
import { demand, verdictOf } from './refused.js';
import { readInitCalldata } from './steps/read-init-calldata.js';
import { readSetup, type SetupAnswer } from './steps/read-setup.js';
import { requireChain } from './steps/require-chain.js';
import { requireDelegation } from './steps/require-delegation.js';
import { requireInit, setupDeployment } from './steps/require-init.js';
import { requireTicket } from './steps/require-ticket.js';
import { setupEffects } from './steps/setup-effects.js';
import { summarise } from './steps/summarise.js';
import type { SetupExpectations, SetupTransaction, SetupVerdict, VerifyOptions } from './types.js';

const defaultMaxFeeWei = 10n ** 16n;

/**
 * Verify offline that a setup does nothing but delegate the wallet to the account implementation of the address book,
 * install its two modules and allow its paymaster a limited amount of USDC. What the wallet is delegated to now is for
 * the caller to say: without `walletCode` a delegation to something else is replaced unseen.
 *
 * @param answer - of prepare, or its `setup` and `setupTicket` alone
 * @returns the transaction to sign and the ticket to relay it with; or the reason not to sign
 * @throws {InvalidExpectationsError} when the expectations are incomplete or nonsense
 * @example
 * const walletCode = await rpc.getCode({ address: wallet });
 * const verdict = verifySetup(prepared, { wallet, chain: 'base', walletCode });
 * if (!verdict.ok) throw new Error(verdict.reason);
 */
export function verifySetup(
  answer: unknown,
  expectations: SetupExpectations,
  { addressBook = agentAddressBook, now = Date.now }: VerifyOptions = {},
): SetupVerdict {
  const expected = parseSetupExpectations(expectations);
  return verdictOf(() => {
    const read = readSetup(answer);
    const { setup, setupTicket } = read;
    const init = readInitCalldata(setup.initCalldata);
    const deployment = setupDeployment(setupTicket, init, addressBook);
    requireChain(addressBook, expected.chain, setupTicket.chainId);
    requireTicket(read, deployment, expected, now());
    requireInit(init, deployment, expected);
    const replaced = requireDelegation(read, deployment, expected);
    const transaction = transactionOf(read);
    requireFee(transaction, expected);
    const effects = setupEffects(setup.authorization, init, replaced);
    return {
      ok: true,
      setupType: setup.setupType,
      setupTicket,
      transaction,
      deployment,
      effects,
      summary: summarise(effects, deployment.chainId, addressBook),
    };
  });
}

function transactionOf({ setup, setupTicket }: SetupAnswer): SetupTransaction {
  const { initCalldata, to, gas, authorization } = setup;
  return {
    chainId: setupTicket.chainId,
    to,
    data: initCalldata,
    gasLimit: BigInt(gas.gasLimit),
    maxFeePerGas: BigInt(gas.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(gas.maxPriorityFeePerGas),
    authorization,
  };
}

function requireFee(
  { gasLimit, maxFeePerGas }: SetupTransaction,
  { maxFeeWei = defaultMaxFeeWei }: SetupExpectations,
): void {
  const fee = gasLimit * maxFeePerGas;
  demand(fee <= maxFeeWei, 'GAS_TOO_DEAR', 'setup.gas', `It may cost ${fee} wei, above ${maxFeeWei}.`);
}
