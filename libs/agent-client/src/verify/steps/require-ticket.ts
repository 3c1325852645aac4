import { sameHex, setupTicketId } from '@yield-vault/protocol';
import { isAddressEqual, keccak256 } from 'viem';
import { demand } from '../refused.js';
import type { BookDeployment, SetupExpectations } from '../types.js';
import type { SetupAnswer } from './read-setup.js';

/** Check that a setup is of the wallet, and that ticket, authorization and call data are of one and the same setup. */
export function requireTicket(
  { setup, setupTicket, intentId, setupType }: SetupAnswer,
  { account, chainId }: BookDeployment,
  { wallet, setupType: expectedType = setup.setupType }: SetupExpectations,
  nowMs: number,
): void {
  const ofWallet = 'It is not the wallet.';
  demand(
    isAddressEqual(setupTicket.walletAddress, wallet),
    'WALLET_MISMATCH',
    'setupTicket.walletAddress',
    ofWallet,
  );
  demand(isAddressEqual(setup.to, wallet), 'WALLET_MISMATCH', 'setup.to', ofWallet);

  const types = [setup.setupType, setupTicket.setupType, setupType ?? expectedType];
  demand(
    types.every((type) => type === expectedType),
    'SETUP_TYPE_MISMATCH',
    'setup.setupType',
    `It is not a setup of type ${expectedType} throughout.`,
  );
  const { authorization } = setup;
  const delegates = setup.setupType === 'full';
  demand(
    (authorization !== null) === delegates,
    'SETUP_TYPE_MISMATCH',
    'setup.authorization',
    'A full setup has an authorization, and no other.',
  );
  if (authorization) {
    const field = 'setup.authorization';
    const isOurs = isAddressEqual(authorization.contractAddress, account);
    demand(
      isOurs,
      'IMPLEMENTATION_MISMATCH',
      `${field}.contractAddress`,
      'It is not the account of the ticket.',
    );
    demand(authorization.chainId === chainId, 'CHAIN_MISMATCH', `${field}.chainId`, `It is not ${chainId}.`);
  }
  const { initCalldataHash, expiresAt } = setupTicket;
  demand(
    sameHex(initCalldataHash, keccak256(setup.initCalldata)),
    'TICKET_MISMATCH',
    'setupTicket.initCalldataHash',
    'It is not the hash of the call data.',
  );
  demand(nowMs < Date.parse(expiresAt), 'EXPIRED', 'setupTicket.expiresAt', `It expired at ${expiresAt}.`);
  demand(
    intentId === undefined || sameHex(intentId, setupTicketId(setupTicket)),
    'INTENT_ID_MISMATCH',
    'intentId',
    'It is not the id of the ticket.',
  );
}
