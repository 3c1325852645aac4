import type { ForkKind } from '@yield-vault/forks';
import { ApiSchema } from '@nestjs/swagger';
import {
  AddressField,
  AnyArrayField,
  AnyField,
  ChoiceField,
  HexField,
  IntegerField,
  PatternField,
  Rule,
  TextField,
} from '@yield-vault/server';
import type { Address, Hex } from 'viem';
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
  readonly kind!: ForkKind;
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

@ApiSchema({ name: 'IncreaseTime', description: 'Seconds to add to the clock of the fork.' })
export class IncreaseTimeDto {
  @IntegerField({ description: 'Seconds; at most a year.', minimum: 1, maximum: 31_536_000, example: 3600 })
  readonly seconds!: number;
}

@ApiSchema({ name: 'Mine', description: 'Number of empty blocks to mine.' })
export class MineDto {
  @IntegerField({ description: 'Blocks.', minimum: 1, maximum: 1_000, example: 1 })
  readonly count!: number;
}

@ApiSchema({
  name: 'Transaction',
  description: 'An unsigned transaction from any account.',
})
export class TransactionDto {
  @AddressField({ description: 'The sender.', example: examples.wallet })
  readonly from!: Address;

  @AddressField({ description: 'The recipient.', example: examples.wallet })
  readonly to!: Address;

  @HexField({ description: 'Call data.', optional: true, example: '0x', maxBytes: 131_072 })
  readonly data?: Hex;

  @PatternField({ ...amount, description: 'Wei.', example: '0' })
  readonly value?: string;

  @PatternField({
    pattern: /^\d{1,10}$/,
    form: 'decimal digits, at most 10',
    optional: true,
    description: 'Gas limit.',
    example: '100000',
  })
  readonly gas?: string;
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
