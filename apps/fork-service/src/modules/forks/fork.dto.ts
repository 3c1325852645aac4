import type { ForkKind, ForkStatus } from '@yield-vault/forks';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import {
  ApiAddress,
  ApiBaseUnits,
  ApiBoolean,
  ApiChoice,
  ApiHash32,
  ApiHex,
  ApiInteger,
  ApiList,
  ApiText,
  ApiTimestamp,
  hash32Pattern,
} from '@yield-vault/server';
import type { Address, Hex } from 'viem';
import { examples } from '../../openapi/examples.js';

export const forkKinds: readonly ForkKind[] = ['persistent', 'ephemeral'];
const statuses: readonly ForkStatus[] = ['starting', 'running', 'stopped', 'failed'];

@ApiSchema({ name: 'Fork', description: 'A fork of a chain.' })
export class ForkDto {
  @ApiText({ description: 'Changes when the fork is recreated.', example: examples.forkId })
  readonly id!: string;

  @ApiChoice(forkKinds, { description: 'persistent: one per chain, kept.', example: 'persistent' })
  readonly kind!: ForkKind;

  @ApiText({ description: 'Chain key.', example: examples.chain })
  readonly chain!: string;

  @ApiInteger({ description: 'Chain id.', example: 8453 })
  readonly chainId!: number;

  @ApiChoice(statuses, { description: 'How it is.', example: 'running' })
  readonly status!: ForkStatus;

  @ApiBaseUnits({ description: 'Block of the chain on which it stands.', example: '12345678' })
  readonly forkBlock!: string;

  @ApiTimestamp({ description: 'When it was created.', example: '2026-01-01T00:00:00.000Z' })
  readonly createdAt!: string;

  @ApiText({
    description:
      'Path of its plain JSON-RPC on this service. That of a persistent fork stays when the fork is recreated.',
    example: `/rpc/${examples.chain}`,
  })
  readonly rpcPath!: string;
}

@ApiSchema({ name: 'ForkList', description: 'The forks of this instance.' })
export class ForkListDto {
  @ApiList(() => ForkDto, { description: 'Newest last.' })
  readonly forks!: readonly ForkDto[];
}

@ApiSchema({ name: 'Balances', description: 'What the wallet has now, read from the fork.' })
export class BalancesDto {
  @ApiBaseUnits({ description: 'Wei.', example: '10000000000000000' })
  readonly ethWei!: string;

  @ApiBaseUnits({ description: 'Base units of USDC.', example: '25000000' })
  readonly usdcBaseUnits!: string;
}

@ApiSchema({ name: 'Snapshot', description: 'A snapshot of a fork.' })
export class SnapshotDto {
  @ApiText({ description: 'To revert to it.', example: '0x1' })
  readonly snapshotId!: string;
}

@ApiSchema({ name: 'Revert', description: 'Whether the fork was taken back.' })
export class RevertDto {
  @ApiBoolean({ description: 'false: there is no such snapshot (any more).', example: true })
  readonly reverted!: boolean;
}

@ApiSchema({ name: 'Log', description: 'An event of the transaction.' })
export class LogDto {
  @ApiAddress({ description: 'Contract.', example: examples.usdc })
  readonly address!: Address;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', pattern: hash32Pattern.source },
    description: 'Topics.',
    example: [],
  })
  readonly topics!: readonly Hex[];

  @ApiHex({ description: 'Data.', example: '0x' })
  readonly data!: Hex;

  @ApiBaseUnits({ description: 'Block.', example: '12345679' })
  readonly blockNumber!: string;

  @ApiHash32({ description: 'Block.', example: examples.hash32 })
  readonly blockHash!: Hex;

  @ApiHash32({ description: 'Transaction.', example: examples.hash32 })
  readonly transactionHash!: Hex;

  @ApiInteger({ description: 'Place of the transaction in the block.', example: 0 })
  readonly transactionIndex!: number;

  @ApiInteger({ description: 'Place of the event in the block.', example: 0 })
  readonly logIndex!: number;
}

@ApiSchema({ name: 'SentTransaction', description: 'A transaction that was mined, reverted or not.' })
export class SentTransactionDto {
  @ApiHash32({ description: 'Hash of the transaction.', example: examples.hash32 })
  readonly hash!: Hex;

  @ApiBoolean({ description: 'false: it reverted.', example: true })
  readonly success!: boolean;

  @ApiBaseUnits({ description: 'Gas used.', example: '21000' })
  readonly gasUsed!: string;

  @ApiList(() => LogDto, { description: 'Its events.' })
  readonly logs!: readonly LogDto[];

  @ApiHex({ description: 'What the call returned or reverted with.', example: '0x' })
  readonly returnData!: Hex;
}
