import { ApiSchema } from '@nestjs/swagger';
import { decimalPattern, type Eip7702Auth, type GaslessSetupRequest } from '@yield-vault/protocol';
import {
  AddressField,
  Hash32Field,
  HexField,
  IntegerField,
  ObjectField,
  PatternField,
  TextField,
  DigitsField,
} from '@yield-vault/server';
import type { Address, Hex } from 'viem';
import { examples } from '../../openapi/examples.js';

@ApiSchema({ name: 'Eip7702Authorization', description: 'A signed EIP-7702 authorization.' })
export class Eip7702AuthDto implements Eip7702Auth {
  @IntegerField({
    description: 'Id of the chain; an authorization for 0, all chains, is refused.',
    minimum: 0,
    example: 8453,
  })
  readonly chainId!: number;

  @AddressField({ description: 'Implementation to delegate to.', example: examples.implementation })
  readonly address!: Address;

  @IntegerField({ description: 'Transaction count of the wallet.', minimum: 0, example: 0 })
  readonly nonce!: number;

  @IntegerField({ description: 'Parity of the signature.', minimum: 0, maximum: 1, example: 0 })
  readonly yParity!: number;

  @Hash32Field({ description: 'r of the signature.', example: examples.hash32 }) readonly r!: Hex;
  @Hash32Field({ description: 's of the signature, the low one.', example: examples.hash32 })
  readonly s!: Hex;
}

@ApiSchema({ name: 'GaslessSetupRequest', description: 'A deposit, and what its wallet signed.' })
export class GaslessSetupRequestDto implements GaslessSetupRequest {
  @TextField({ description: 'Key of an active chain.', default: 'base', example: 'base' })
  readonly chain: string = 'base';

  @AddressField({ description: "The agent's EOA.", example: examples.agentAddress })
  readonly agentAddress!: Address;

  @DigitsField({
    description: 'Id of the vault, from discover.',
    example: examples.vaultId,
  })
  readonly vaultId!: string;

  @TextField({ description: 'Symbol of the asset of the vault.', minLength: 1, example: 'USDC' })
  readonly asset!: string;

  @PatternField({
    description: 'Amount in human units of the asset.',
    pattern: decimalPattern,
    form: 'digits with an optional fractional part, as a string',
    example: '25',
  })
  readonly amount!: string;

  @HexField({
    description: 'Signature of the permit: 65 bytes; absent where `gaslessSetup.permit` is null.',
    example: examples.signature,
    optional: true,
  })
  readonly permitSignature?: Hex;

  @ObjectField(() => Eip7702AuthDto, {
    description: 'The signed authorization; absent where `gaslessSetup.authorization` is null.',
    optional: true,
  })
  readonly authorization?: Eip7702AuthDto;
}
