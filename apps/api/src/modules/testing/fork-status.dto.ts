import { environments } from '@yield-vault/deployment';
import type { ForkStatusResponse, PrimaryFork, WireForkRecord } from '@yield-vault/protocol';
import { ApiProperty, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import {
  ApiChoice,
  ApiConstant,
  ApiInteger,
  ApiList,
  ApiObject,
  ApiText,
  ApiTimestamp,
} from '@yield-vault/server';
import type { Address } from 'viem';
import { examples } from '../../openapi/examples.js';
import { FundingLimitsDto } from './fund-wallet.dto.js';

const createdAt = '2026-01-01T12:00:00.000Z';
const forkStatus = ['starting, running, stopped or failed.', 'running'] as const;

@ApiSchema({ name: 'SupportedTokens', description: 'Tokens that can be minted on the forks of a chain.' })
export class SupportedTokensDto {
  @ApiText('Chain key.', 'base') readonly chain!: string;
  @ApiInteger('Chain id.', 8453) readonly chainId!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Addresses by token key.',
    example: { usdc: examples.usdc },
  })
  readonly tokens!: Readonly<Record<string, Address>>;
}

@ApiSchema({ name: 'ForkHealth', description: 'State of what makes the forks.' })
export class ForkHealthDto {
  @ApiText('healthy, degraded or unavailable.', 'healthy') readonly status!: string;
  @ApiInteger('Forks of both kinds.', 2) readonly activeForks!: number;

  @ApiProperty({
    oneOf: [{ type: 'integer' }, { type: 'null' }],
    description: 'Forks that there may be at once; null without a limit.',
    example: 32,
  })
  readonly maxForks!: number | null;

  @ApiText('Version of what makes the forks; empty when it does not answer.', 'fork-service/v0.1.0')
  readonly version!: string;
}

@ApiSchema({ name: 'PrimaryFork', description: 'The persistent fork of a chain.' })
export class PrimaryForkDto implements PrimaryFork {
  @ApiText('Chain key.', 'base') readonly chain!: string;
  @ApiInteger('Chain id.', 8453) readonly chainId!: number;

  @ApiText('Changes when the fork is recreated: what wallets did on it is gone then.', examples.forkId)
  readonly id!: string;

  @ApiText(...forkStatus) readonly status!: string;

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'null' }],
    description: 'Where it answers JSON-RPC; null where the deployment does not make it public.',
    example: 'http://127.0.0.1:3100/rpc/base',
  })
  readonly rpcUrl!: string | null;

  @ApiInteger('Newest block.', 12345678) readonly blockNumber!: number;
  @ApiTimestamp('When it was created.', createdAt) readonly createdAt!: string;
}

@ApiSchema({ name: 'ForkRecord', description: 'A fork.' })
export class ForkRecordDto implements WireForkRecord {
  @ApiText('Id of the fork.', examples.forkId) readonly id!: string;
  @ApiText(...forkStatus) readonly status!: string;

  @ApiChoice(['persistent', 'ephemeral'], 'One per chain that is kept, or one per simulation.', 'persistent')
  readonly kind!: 'persistent' | 'ephemeral';

  @ApiChoice(
    ['node', 'anvil'],
    'node: the RPC runs the simulation. anvil: the fork is an Anvil process.',
    'anvil',
  )
  readonly backend!: 'node' | 'anvil';

  @ApiTimestamp('When it was created.', createdAt) readonly createdAt!: string;
}

@ApiSchema({ name: 'ActiveForks', description: 'Forks of one chain.' })
export class ActiveForksDto {
  @ApiInteger('Chain id.', 8453) readonly chainId!: number;
  @ApiInteger('How many.', 1) readonly count!: number;
  @ApiList(() => ForkRecordDto, 'Each of them.') readonly forks!: readonly ForkRecordDto[];
}

@ApiSchema({ name: 'ForkStatusResponse', description: 'State of the test forks.' })
export class ForkStatusResponseDto implements ForkStatusResponse {
  @ApiConstant(true, 'The state could be told.') readonly success!: true;
  @ApiChoice(environments, 'Deployment.', 'local') readonly environment!: string;

  @ApiChoice(['off', 'enforce'], 'Simulation before submission.', 'enforce')
  readonly preflightMode!: 'off' | 'enforce';

  @ApiObject(() => FundingLimitsDto, 'Caps of one fund-wallet call.') readonly limits!: FundingLimitsDto;

  @ApiList(() => SupportedTokensDto, 'What fund-wallet mints besides ETH, chain by chain.')
  readonly supportedTokens!: readonly SupportedTokensDto[];

  @ApiObject(() => ForkHealthDto, 'State of what makes the forks.') readonly health!: ForkHealthDto;

  @ApiList(() => PrimaryForkDto, 'The persistent forks that exist; one is created on first use.')
  readonly primaryForks!: readonly PrimaryForkDto[];

  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(ActiveForksDto) },
    description: 'Forks by chain key.',
  })
  readonly activeForks!: Readonly<Record<string, ActiveForksDto>>;
}
