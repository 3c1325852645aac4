import { environments } from '@yield-vault/deployment';
import type { FundWalletRequest, FundWalletResponse, FundingLimits } from '@yield-vault/protocol';
import { ApiSchema } from '@nestjs/swagger';
import {
  AddressField,
  ApiAddress,
  ApiBaseUnits,
  ApiBoolean,
  ApiChoice,
  ApiConstant,
  ApiInteger,
  ApiObject,
  ApiText,
  digitsPattern,
  PatternField,
  Rule,
  TextField,
} from '@yield-vault/server';
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
  @TextField({ description: 'Key of an active chain: ethereum or base.', example: 'base' })
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

@ApiSchema({ name: 'FundingLimits', description: 'Caps of one call.' })
export class FundingLimitsDto implements FundingLimits {
  @ApiBaseUnits('ETH, in wei.', '20000000000000000') readonly maxEthWeiPerCall!: string;
  @ApiBaseUnits('USDC, in base units.', '50000000') readonly maxUsdcBaseUnitsPerCall!: string;
}

@ApiSchema({ name: 'FundedEth', description: 'ETH of the wallet.' })
export class FundedEthDto {
  @ApiBaseUnits('Asked for; 0 when nothing was.', '10000000000000000') readonly requestedAmountWei!: string;

  @ApiBaseUnits('Balance afterwards, read from the fork.', '10000000000000000')
  readonly resultingBalanceWei!: string;
}

@ApiSchema({ name: 'FundedUsdc', description: 'USDC of the wallet.' })
export class FundedUsdcDto {
  @ApiAddress('USDC of the chain.', examples.usdc) readonly tokenAddress!: Address;
  @ApiBaseUnits('Asked for; 0 when nothing was.', '25000000') readonly requestedAmountBaseUnits!: string;

  @ApiBaseUnits('Balance afterwards, read from the fork.', '25000000')
  readonly resultingBalanceBaseUnits!: string;
}

@ApiSchema({ name: 'Funded', description: 'What was added, and what the wallet has now.' })
export class FundedDto {
  @ApiObject(() => FundedEthDto, 'ETH.') readonly eth!: FundedEthDto;
  @ApiObject(() => FundedUsdcDto, 'USDC.') readonly usdc!: FundedUsdcDto;
}

@ApiSchema({ name: 'FundWalletResponse', description: 'The wallet is funded.' })
export class FundWalletResponseDto implements FundWalletResponse {
  @ApiConstant(true, 'The balances were added.') readonly success!: true;
  @ApiChoice(environments, 'Deployment.', 'local') readonly environment!: string;
  @ApiText('Chain key.', 'base') readonly chain!: string;
  @ApiInteger('Chain id.', 8453) readonly chainId!: number;
  @ApiAddress('The wallet.', examples.testWallet) readonly walletAddress!: Address;

  @ApiText(
    'Id of the fork. Another one than before: the fork was recreated, earlier balances are gone.',
    examples.forkId,
  )
  readonly forkId!: string;

  @ApiObject(() => FundedDto, 'What was added, and what the wallet has now.') readonly funded!: FundedDto;
  @ApiObject(() => FundingLimitsDto, 'Caps of one call.') readonly limits!: FundingLimitsDto;

  @ApiBoolean('Whether only wallets of an allowlist may be funded.', false)
  readonly allowlistEnforced!: boolean;
}
