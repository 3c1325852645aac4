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
  @ApiText('Changes when the fork is recreated.', examples.forkId) readonly id!: string;

  @ApiChoice(forkKinds, 'persistent: one per chain. ephemeral: for one use.', 'persistent')
  readonly kind!: ForkKind;

  @ApiText('Chain key.', examples.chain) readonly chain!: string;
  @ApiInteger('Chain id.', 8453) readonly chainId!: number;
  @ApiChoice(statuses, 'Whether it runs.', 'running') readonly status!: ForkStatus;
  @ApiBaseUnits('Block of the chain at which it was forked.', '12345678') readonly forkBlock!: string;
  @ApiTimestamp('When it was created.', '2026-01-01T00:00:00.000Z') readonly createdAt!: string;

  @ApiText(
    'Path of its plain JSON-RPC. It stays the same when a persistent fork is recreated.',
    `/rpc/${examples.chain}`,
  )
  readonly rpcPath!: string;
}

@ApiSchema({ name: 'ForkList', description: 'The forks of this instance.' })
export class ForkListDto {
  @ApiList(() => ForkDto, 'Newest last.') readonly forks!: readonly ForkDto[];
}

@ApiSchema({ name: 'Balances', description: 'The balances of the wallet on the fork.' })
export class BalancesDto {
  @ApiBaseUnits('Wei.', '10000000000000000') readonly ethWei!: string;
  @ApiBaseUnits('Base units of USDC.', '25000000') readonly usdcBaseUnits!: string;
}

@ApiSchema({ name: 'Snapshot', description: 'A snapshot of a fork.' })
export class SnapshotDto {
  @ApiText('Id of the snapshot.', '0x1') readonly snapshotId!: string;
}

@ApiSchema({ name: 'Revert', description: 'Whether the fork was reverted.' })
export class RevertDto {
  @ApiBoolean('false: the snapshot does not exist or was used.', true) readonly reverted!: boolean;
}

@ApiSchema({ name: 'Log', description: 'An event of the transaction.' })
export class LogDto {
  @ApiAddress('Contract.', examples.usdc) readonly address!: Address;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', pattern: hash32Pattern.source },
    description: 'Topics.',
    example: [],
  })
  readonly topics!: readonly Hex[];

  @ApiHex('Data.', '0x') readonly data!: Hex;
  @ApiBaseUnits('Block.', '12345679') readonly blockNumber!: string;
  @ApiHash32('Block.', examples.hash32) readonly blockHash!: Hex;
  @ApiHash32('Transaction.', examples.hash32) readonly transactionHash!: Hex;
  @ApiInteger('Index of the transaction in the block.', 0) readonly transactionIndex!: number;
  @ApiInteger('Index of the event in the block.', 0) readonly logIndex!: number;
}

@ApiSchema({ name: 'SentTransaction', description: 'A transaction that was mined, reverted or not.' })
export class SentTransactionDto {
  @ApiHash32('Hash of the transaction.', examples.hash32) readonly hash!: Hex;
  @ApiBoolean('false: the transaction reverted.', true) readonly success!: boolean;
  @ApiBaseUnits('Gas used.', '21000') readonly gasUsed!: string;
  @ApiList(() => LogDto, 'Its events.') readonly logs!: readonly LogDto[];
  @ApiHex('Return data or revert data.', '0x') readonly returnData!: Hex;
}
