import type { ForkRecord } from '@yield-vault/forks';
import { ApiSchema } from '@nestjs/swagger';
import {
  AddressField,
  AnyArrayField,
  AnyField,
  ChoiceField,
  PatternField,
  Rule,
  TextField,
} from '@yield-vault/server';
import type { Address } from 'viem';
import { examples } from '../../openapi/examples.js';
import { forkKinds } from './fork.dto.js';

// 38 digits hold every real amount and cannot overflow a balance of 256 bits.
const amountPattern = /^\d{1,38}$/;
const amount = { pattern: amountPattern, form: 'decimal digits, at most 38', optional: true } as const;

@ApiSchema({ name: 'OpenFork', description: 'The fork to get or create.' })
export class OpenForkDto {
  @TextField({ description: 'Chain key.', minLength: 1, example: examples.chain })
  readonly chain!: string;

  @ChoiceField({
    description: 'persistent: the fork of the chain, created on first use. ephemeral: a new fork.',
    values: forkKinds,
    example: 'persistent',
  })
  readonly kind!: ForkRecord['kind'];
}

const isOneAmount = ({ ethWei, usdcBaseUnits }: FundDto) =>
  ethWei === undefined && usdcBaseUnits === undefined
    ? 'must come with ethWei, usdcBaseUnits or both'
    : undefined;

@ApiSchema({ name: 'Fund', description: 'Amounts to add to the balances of a wallet.' })
export class FundDto {
  @AddressField({ description: 'The wallet.', example: examples.wallet })
  @Rule(isOneAmount)
  readonly address!: Address;

  @PatternField({ ...amount, description: 'Wei.', example: '10000000000000000' })
  readonly ethWei?: string;

  @PatternField({ ...amount, description: 'Base units of USDC.', example: '25000000' })
  readonly usdcBaseUnits?: string;
}

@ApiSchema({ name: 'RpcCall', description: 'One JSON-RPC call of any method.' })
export class RpcCallDto {
  @TextField({ description: 'Version of JSON-RPC.', optional: true, example: '2.0' })
  readonly jsonrpc?: string;

  @AnyField({ description: 'Returned in the response.', optional: true })
  readonly id?: unknown;

  @TextField({ description: 'Method.', minLength: 1, example: 'evm_mine' })
  readonly method!: string;

  @AnyArrayField({ description: 'Parameters.', example: [] })
  readonly params: readonly unknown[] = [];
}
