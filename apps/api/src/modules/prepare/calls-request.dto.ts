import { callOperations, type CallOperation, type CallsRequest } from '@yield-vault/protocol';
import { AddressField, ChoiceField, QueryDecimal } from '@yield-vault/server';
import type { Address } from 'viem';
import { examples } from '../../openapi/examples.js';
import { VaultOperationDto } from './prepare-request.dto.js';

export class CallsRequestDto extends VaultOperationDto implements CallsRequest {
  @ChoiceField({
    description: 'What to do with the vault.',
    values: callOperations,
    default: 'deposit',
    example: 'deposit',
  })
  override readonly operation: CallOperation = 'deposit';

  @AddressField({
    description: 'The wallet that will send the calls: an EOA or a contract, such as a Safe.',
    example: examples.testWallet,
  })
  readonly from!: Address;

  @QueryDecimal()
  override readonly percentage?: number;
}
