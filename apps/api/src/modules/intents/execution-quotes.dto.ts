import type { ExecutionCosts } from '@yield-vault/protocol';
import { ApiSchema } from '@nestjs/swagger';
import { ApiAddress, ApiBaseUnits, ApiInteger, ApiNumber, ApiOrNull } from '@yield-vault/server';
import type { Address } from 'viem';
import { examples } from '../../openapi/examples.js';

@ApiSchema({ name: 'Slippage', description: 'Least result that the chain enforces; base units.' })
export class SlippageDto {
  @ApiInteger('Tolerance in basis points.', 50) readonly maxSlippageBps!: number;
  @ApiBaseUnits('Least result.', '24375000') readonly minOut!: string;
  @ApiBaseUnits('Expected result.', '24500000') readonly quotedOut!: string;
}

@ApiSchema({ name: 'GasQuote', description: 'Expected cost of the gas; base units of the token.' })
export class GasQuoteDto {
  @ApiAddress('Token that pays.', examples.usdc) readonly token!: Address;
  @ApiBaseUnits('Never more than this.', '250000') readonly maxAmount!: string;
  @ApiBaseUnits('Expected amount.', '12300') readonly expectedAmount!: string;
}

@ApiSchema({
  name: 'ExecutionCosts',
  description:
    'Expected costs in USD, where one USDC counts as one USD. For information: gasQuote.maxAmount is the limit.',
})
export class ExecutionCostsDto implements ExecutionCosts {
  @ApiNumber('Gas of this operation: gasQuote.expectedAmount in USD.', 0.0123) readonly gasUsd!: number;

  @ApiNumber('Gas of a full redeem at the same gas price. 0 when this operation redeems everything.', 0.0119)
  readonly exitGasUsd!: number;

  @ApiOrNull(
    'number',
    'Days until the yield has paid for both: 365 × ln(1 + (gasUsd + exitGasUsd) / depositUsd) / ln(1 + apy.month / 100). ' +
      'A rebalance counts its gain over the source: it divides by ln(1 + target.apy.month / 100) - ln(1 + ' +
      'source.apy.month / 100). 0 when gas is free. null for a redeem, for a yield or gain of zero or less, and for an ' +
      'asset without a known price.',
    8.7,
  )
  readonly breakEvenDays!: number | null;
}
