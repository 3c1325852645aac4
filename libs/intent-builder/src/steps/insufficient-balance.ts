import { formatAmount, InsufficientBalanceError } from '@yield-vault/protocol';
import type { Address } from 'viem';

/** What a wallet lacks; amounts in base units. */
export interface Shortage {
  readonly what: string;
  readonly token: Address;
  readonly decimals: number;
  readonly required: bigint;
  readonly available: bigint;
}

/** Make the error for a wallet that lacks assets, shares or USDC for gas. */
export function insufficientBalance(shortage: Shortage): InsufficientBalanceError {
  const { what, token, decimals, required, available } = shortage;
  const [needs, has] = [required, available].map((amount) => formatAmount(amount, decimals));
  return new InsufficientBalanceError({
    detail: `The wallet needs ${needs} ${what} and has ${has}.`,
    details: {
      required: required.toString(),
      available: available.toString(),
      missing: (required - available).toString(),
      token,
    },
  });
}
