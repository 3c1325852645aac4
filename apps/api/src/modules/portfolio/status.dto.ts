import type { Position, StatusResponse } from '@yield-vault/protocol';
import { ApiSchema } from '@nestjs/swagger';
import {
  AddressField,
  ApiBaseUnits,
  ApiDecimal,
  ApiInteger,
  ApiList,
  ApiNumber,
  ApiText,
  ApiTimestamp,
} from '@yield-vault/server';
import type { Address } from 'viem';
import { examples } from '../../openapi/examples.js';

export class StatusRequestDto {
  @AddressField({ description: 'The wallet to look at.', example: examples.agentAddress })
  readonly userAddress!: Address;
}

@ApiSchema({
  name: 'Position',
  description: 'What a wallet holds of one vault. Amounts are in units of its asset.',
})
export class PositionDto implements Position {
  @ApiBaseUnits({ description: 'Id of the vault.', example: examples.vaultId })
  readonly vaultId!: string;

  @ApiText({ description: 'Name of the vault.', example: examples.vaultName })
  readonly vaultName!: string;

  @ApiText({ description: 'Protocol that runs the vault.', example: examples.protocol })
  readonly protocol!: string;

  @ApiText({ description: 'Chain key.', example: 'base' })
  readonly chain!: string;

  @ApiDecimal({ description: 'Average-cost basis of what is held now.', example: '25' })
  readonly depositedAmount!: string;

  @ApiDecimal({ description: 'What a redeem of all shares would pay now.', example: '25.01' })
  readonly currentValue!: string;

  @ApiNumber({ description: 'Current APY of the vault in percent.', example: 4.1 })
  readonly apy!: number;

  @ApiDecimal({ description: 'currentValue less depositedAmount; may be negative.', example: '0.01' })
  readonly unrealizedYield!: string;

  @ApiTimestamp({ description: 'When the position was opened.', example: '2026-01-01T12:00:00.000Z' })
  readonly depositTimestamp!: string;
}

@ApiSchema({ name: 'StatusResponse', description: 'The portfolio of a wallet over all active chains.' })
export class StatusResponseDto implements StatusResponse {
  @ApiList(() => PositionDto, { description: 'Active positions.' })
  readonly positions!: readonly PositionDto[];

  @ApiNumber({ description: 'Value of all positions whose asset has a known price, in USD.', example: 25.01 })
  readonly totalValueUsd!: number;

  @ApiNumber({ description: 'Cost of the same positions, in USD.', example: 25 })
  readonly totalDeposited!: number;

  @ApiNumber({ description: 'Yield in USD, realised and unrealised.', example: 0.01 })
  readonly totalYieldEarned!: number;

  @ApiInteger({ description: 'Number of positions.', example: 1 })
  readonly positionCount!: number;
}
