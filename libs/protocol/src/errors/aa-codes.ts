/** An ERC-4337 EntryPoint code: its meaning, who can fix it and how. */
export interface AaCodeEntry {
  readonly meaning: string;
  /** True when the caller can fix it by preparing and signing again, or by funding the wallet. */
  readonly curable: boolean;
  readonly nextAction: string;
}

const prepareAgain = 'Call prepare again and re-sign the new envelope.';
/** The next action for a failure that only the operator can fix. */
export const operatorAction = 'Retry later. If it persists, report the requestId to the operator.';

/** The codes of EntryPoint v0.6 to v0.8 by their name. Source: eth-infinitism/account-abstraction. */
export const aaCodes = {
  AA10: { meaning: 'sender already constructed', curable: true, nextAction: prepareAgain },
  AA13: { meaning: 'initCode failed or ran out of gas', curable: true, nextAction: prepareAgain },
  AA14: { meaning: 'initCode must return the sender', curable: true, nextAction: prepareAgain },
  AA15: { meaning: 'initCode must create the sender', curable: true, nextAction: prepareAgain },
  AA20: {
    meaning: 'account not deployed',
    curable: true,
    nextAction: 'The wallet has no delegation. Call prepare and send its setup first.',
  },
  AA21: {
    meaning: 'account did not pay the prefund',
    curable: true,
    nextAction: 'Fund the wallet with USDC for gas, then call prepare again.',
  },
  AA22: { meaning: 'operation expired or not yet valid', curable: true, nextAction: prepareAgain },
  AA23: { meaning: 'account validation reverted', curable: true, nextAction: prepareAgain },
  AA24: {
    meaning: 'signature validation failed: stale call data or signer mismatch',
    curable: true,
    nextAction: 'Call prepare again and re-sign with the key of the wallet.',
  },
  AA25: {
    meaning: 'invalid account nonce',
    curable: true,
    nextAction:
      'Another operation of this wallet was included first. Check whether it was this one; if not, call prepare again.',
  },
  AA26: { meaning: 'verification gas limit exceeded', curable: true, nextAction: prepareAgain },
  AA30: { meaning: 'paymaster not deployed', curable: false, nextAction: operatorAction },
  AA31: { meaning: 'paymaster deposit too low', curable: false, nextAction: operatorAction },
  AA32: { meaning: 'paymaster data expired or not yet valid', curable: true, nextAction: prepareAgain },
  AA33: {
    meaning: 'paymaster validation reverted',
    curable: true,
    nextAction: 'Check the USDC balance and any paymaster allowance, then call prepare again.',
  },
  AA34: {
    meaning: 'paymaster refused: the account did not pay it, or its data is not signed',
    curable: true,
    nextAction: 'Check the USDC balance for gas, then call prepare again.',
  },
  AA35: { meaning: 'malformed paymaster data', curable: true, nextAction: prepareAgain },
  AA36: { meaning: 'paymaster verification gas limit exceeded', curable: true, nextAction: prepareAgain },
  AA40: { meaning: 'verification gas limit exceeded', curable: true, nextAction: prepareAgain },
  AA41: { meaning: 'too little verification gas', curable: true, nextAction: prepareAgain },
  AA50: {
    meaning: 'post-operation reverted, often the paymaster',
    curable: true,
    nextAction: 'Check the USDC balance for gas, then call prepare again.',
  },
  AA51: { meaning: 'prefund below the actual gas cost', curable: true, nextAction: prepareAgain },
  AA90: { meaning: 'invalid beneficiary', curable: false, nextAction: operatorAction },
  AA91: { meaning: 'sending to the beneficiary failed', curable: false, nextAction: operatorAction },
  AA92: { meaning: 'internal call only', curable: false, nextAction: operatorAction },
  AA93: { meaning: 'invalid paymasterAndData', curable: true, nextAction: prepareAgain },
  AA94: { meaning: 'gas values overflow', curable: true, nextAction: prepareAgain },
  AA95: { meaning: 'out of gas', curable: true, nextAction: prepareAgain },
  AA96: { meaning: 'invalid aggregator', curable: false, nextAction: operatorAction },
  AA98: { meaning: 'invalid paymaster', curable: false, nextAction: operatorAction },
} as const satisfies Record<string, AaCodeEntry>;

/** An ERC-4337 EntryPoint code. */
export type AaCode = keyof typeof aaCodes;

/** Find the first EntryPoint code in a bundler's message; `undefined` when it has no known one. */
export function findAaCode(message: string): AaCode | undefined {
  for (const [code] of message.matchAll(/\bAA\d{2}\b/g)) {
    if (Object.hasOwn(aaCodes, code)) return code as AaCode;
  }
  // From EntryPoint v0.7 on a reverting postOp is a custom error and the prefund check an internal marker.
  if (/PostOpReverted/.test(message)) return 'AA50';
  if (/0xdeadaa51/i.test(message)) return 'AA51';
  return undefined;
}
