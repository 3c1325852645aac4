import type { VaultListRequest } from '@yield-vault/protocol';
import { DigitsField, QueryFlagField, QueryIntegerField, TextField } from '@yield-vault/server';
import { examples } from '../../openapi/examples.js';

export class VaultPathDto {
  @DigitsField({
    description: 'Id of the vault, from discover or the list.',
    example: examples.vaultId,
  })
  readonly vaultId!: string;
}

export class VaultListRequestDto implements VaultListRequest {
  @TextField({
    description: 'Key of an active chain. Default: every active chain.',
    minLength: 1,
    optional: true,
  })
  readonly chain?: string;

  @TextField({
    description: 'Symbol of the underlying asset, in any case. Default: all assets.',
    minLength: 1,
    optional: true,
  })
  readonly asset?: string;

  @QueryFlagField({
    description: 'Only vaults that discover may name (true), or only the others (false). Default: both.',
    optional: true,
  })
  readonly listed?: boolean;

  @QueryIntegerField({ description: 'Vaults on a page at most.', minimum: 1, maximum: 100, default: 20 })
  readonly limit: number = 20;

  @TextField({
    description: '`nextCursor` of the page before, with the same filters. Default: the first page.',
    minLength: 1,
    optional: true,
  })
  readonly cursor?: string;
}
