import {
  costBases,
  type CostBasis,
  type Position,
  type StatusRequest,
  type StatusResponse,
} from '@yield-vault/protocol';
import { ApiSchema } from '@nestjs/swagger';
import {
  AddressField,
  ApiAddress,
  ApiBaseUnits,
  ApiChoice,
  ApiDecimal,
  ApiInteger,
  ApiList,
  ApiNumber,
  ApiText,
  ApiTimestamp,
} from '@yield-vault/server';
import type { Address } from 'viem';
import { examples } from '../../openapi/examples.js';

export class StatusRequestDto implements StatusRequest {
  @AddressField({ description: 'The wallet to report.', example: examples.agentAddress })
  readonly userAddress!: Address;
}

@ApiSchema({
  name: 'Position',
  description: 'What a wallet holds of one vault. Amounts are in units of its asset.',
})
export class PositionDto implements Position {
  @ApiBaseUnits('Id of the vault.', examples.vaultId) readonly vaultId!: string;
  @ApiAddress('Address of the vault contract.', examples.vaultAddress) readonly vaultAddress!: Address;
  @ApiText('Name of the vault.', examples.vaultName) readonly vaultName!: string;
  @ApiText('Protocol that runs the vault.', examples.protocol) readonly protocol!: string;
  @ApiText('Chain key.', 'base') readonly chain!: string;
  @ApiText('Symbol of the underlying asset.', 'USDC') readonly asset!: string;
  @ApiBaseUnits('Shares held, in base units.', '24500000') readonly shares!: string;
  @ApiDecimal('Average-cost basis of what is held now.', '25') readonly depositedAmount!: string;

  @ApiChoice(
    costBases,
    'pending: older events of the wallet are being read. Until then depositedAmount covers only the purchases that ' +
      'were read, so unrealizedYield is too large. totalYieldEarned leaves the position out.',
    'exact',
  )
  readonly costBasis!: CostBasis;

  @ApiDecimal('What a redeem of all shares would pay now.', '25.01') readonly currentValue!: string;
  @ApiNumber('Current APY of the vault in percent.', 4.1) readonly apy!: number;

  @ApiDecimal('currentValue less depositedAmount; may be negative.', '0.01')
  readonly unrealizedYield!: string;

  @ApiTimestamp('When the position was opened.', '2026-01-01T12:00:00.000Z')
  readonly depositTimestamp!: string;
}

@ApiSchema({ name: 'StatusResponse', description: 'The portfolio of a wallet over all active chains.' })
export class StatusResponseDto implements StatusResponse {
  @ApiList(() => PositionDto, 'Active positions.') readonly positions!: readonly PositionDto[];

  @ApiNumber('Value of all positions whose asset has a known price, in USD.', 25.01)
  readonly totalValueUsd!: number;

  @ApiNumber('Cost of the same positions, in USD.', 25) readonly totalDeposited!: number;
  @ApiNumber('Yield in USD, realised and unrealised, without gas.', 0.01) readonly totalYieldEarned!: number;

  @ApiNumber(
    'USDC that the wallet paid for gas, in USD. Failed operations count; gas paid in ETH does not. While older events of ' +
      'the wallet are being read, it covers only the payments found so far.',
    0.04,
  )
  readonly totalGasPaidUsd!: number;

  @ApiInteger('Number of positions.', 1) readonly positionCount!: number;
}
