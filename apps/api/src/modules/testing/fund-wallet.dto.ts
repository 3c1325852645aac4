import { digitsPattern, type FundWalletRequest } from '@yield-vault/protocol';
import { ApiSchema } from '@nestjs/swagger';
import { AddressField, PatternField, Rule, TextField } from '@yield-vault/server';
import type { Address } from 'viem';
import { examples } from '../../openapi/examples.js';

const digits = { pattern: digitsPattern, form: 'decimal digits, as a string', optional: true } as const;

const AtLeastOneAmount = () =>
  Rule<FundWalletRequestDto>(({ ethWei, usdcAmount }) =>
    ethWei === undefined && usdcAmount === undefined ? 'or usdcAmount is required' : undefined,
  );

@ApiSchema({
  name: 'FundWalletRequest',
  description: 'What to add to a wallet; at least one of the amounts.',
})
export class FundWalletRequestDto implements FundWalletRequest {
  @TextField({ description: 'Key of an active chain.', example: 'base' })
  readonly chain!: string;

  @AddressField({ description: 'The wallet to fund.', example: examples.testWallet })
  readonly walletAddress!: Address;

  @PatternField({
    ...digits,
    description: 'ETH to add, in wei; at most 20000000000000000 (0.02 ETH) per call.',
    requiredWhen: ({ usdcAmount }: FundWalletRequestDto) => usdcAmount === undefined,
    example: '10000000000000000',
  })
  @AtLeastOneAmount()
  readonly ethWei?: string;

  @PatternField({
    ...digits,
    description: 'USDC to add, in base units (6 decimals); at most 50000000 (50 USDC) per call.',
    example: '25000000',
  })
  readonly usdcAmount?: string;
}
