import { setupTypes, type SetupRelayRequest, type SetupTicket, type SetupType } from '@yield-vault/protocol';
import { ApiSchema } from '@nestjs/swagger';
import {
  AddressField,
  ChoiceField,
  ConstantField,
  Hash32Field,
  HexField,
  IntegerField,
  ObjectField,
  PatternField,
  Rule,
} from '@yield-vault/server';
import type { Address, Hex } from 'viem';
import { examples } from '../../openapi/examples.js';

/** ISO 8601 date-time in UTC ending in Z, fractional seconds allowed. */
const utcDateTimePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

// JavaScript reads 30 February as a day of March, so the parsed time must equal the text.
const isCalendarTime = (value: string): boolean => {
  const time = new Date(value);
  return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 19) === value.slice(0, 19);
};

const CalendarTime = () =>
  Rule((_dto, value) =>
    typeof value !== 'string' || !utcDateTimePattern.test(value) || isCalendarTime(value)
      ? undefined
      : 'must be a time that exists',
  );

@ApiSchema({ name: 'SetupTicket', description: 'The setup ticket, as prepare returned it.' })
export class SetupTicketDto implements SetupTicket {
  @ConstantField({ description: 'Version of the ticket.', value: 1 }) readonly version!: 1;

  @AddressField({ description: 'The EOA to set up.', example: examples.agentAddress })
  readonly walletAddress!: Address;

  @IntegerField({ description: 'Chain id.', minimum: 1, example: 8453 }) readonly chainId!: number;

  @AddressField({ description: 'Smart account implementation.', example: examples.implementation })
  readonly implementation!: Address;

  @Hash32Field({ description: 'keccak256 of the setup calldata.', example: examples.hash32 })
  readonly initCalldataHash!: Hex;

  @ChoiceField({
    description: 'full delegates and initialises; modules initialises only.',
    values: setupTypes,
    default: 'full',
    example: 'full',
  })
  readonly setupType: SetupType = 'full';

  @PatternField({
    description: 'ISO 8601 UTC time ending in Z.',
    pattern: utcDateTimePattern,
    form: 'an ISO 8601 UTC date-time ending in Z',
    format: 'date-time',
    example: '2026-01-01T12:00:00.000Z',
  })
  @CalendarTime()
  readonly expiresAt!: string;
}

@ApiSchema({ name: 'SetupRelayRequest', description: 'A signed setup transaction and its ticket.' })
export class SetupRelayRequestDto implements SetupRelayRequest {
  @ObjectField(() => SetupTicketDto, { description: 'The ticket that prepare returned.' })
  readonly setupTicket!: SetupTicketDto;

  @HexField({
    description:
      'The signed transaction: a self-call of type 4 with an authorization list for full, of type 2 or 4 for modules.',
    example: '0x04',
  })
  readonly signedRawTx!: Hex;

  @IntegerField({
    description: 'Blocks to wait for, the block of the transaction included.',
    minimum: 1,
    maximum: 10,
    default: 2,
    example: 2,
  })
  readonly confirmations: number = 2;
}
