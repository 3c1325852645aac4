import type { ForkRecord } from '@yield-vault/forks';
import { ApiSchema } from '@nestjs/swagger';
import { examples } from '../../openapi/examples.js';
import {
  ApiBaseUnits,
  ApiChoice,
  ApiInteger,
  ApiList,
  ApiText,
  ApiTimestamp,
} from '../../openapi/response-fields.js';

export const forkKinds: readonly ForkRecord['kind'][] = ['persistent', 'ephemeral'];
const statuses: readonly ForkRecord['status'][] = ['starting', 'running', 'stopped', 'failed'];

@ApiSchema({ name: 'Fork', description: 'A fork of a chain.' })
export class ForkDto {
  @ApiText('Changes when the fork is recreated.', examples.forkId) readonly id!: string;

  @ApiChoice(forkKinds, 'persistent: one per chain. ephemeral: for one use.', 'persistent')
  readonly kind!: ForkRecord['kind'];

  @ApiText('Chain key.', examples.chain) readonly chain!: string;
  @ApiInteger('Chain id.', 8453) readonly chainId!: number;
  @ApiChoice(statuses, 'Whether it runs.', 'running') readonly status!: ForkRecord['status'];
  @ApiBaseUnits('Block of the chain at which it was forked.', '12345678') readonly forkBlock!: string;
  @ApiTimestamp('When it was created.', '2026-01-01T00:00:00.000Z') readonly createdAt!: string;

  @ApiText(
    'Path of its plain JSON-RPC. It stays the same when a persistent fork is recreated.',
    `/rpc/${examples.chain}`,
  )
  readonly rpcPath!: string;
}

@ApiSchema({ name: 'ForkList', description: 'The forks of this service.' })
export class ForkListDto {
  @ApiList(() => ForkDto, 'Newest last.') readonly forks!: readonly ForkDto[];
}

@ApiSchema({ name: 'Balances', description: 'The balances of the wallet on the fork.' })
export class BalancesDto {
  @ApiBaseUnits('Wei.', '10000000000000000') readonly ethWei!: string;
  @ApiBaseUnits('Base units of USDC.', '25000000') readonly usdcBaseUnits!: string;
}
