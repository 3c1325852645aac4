import { ApiSchema } from '@nestjs/swagger';
import {
  decimalPattern,
  gaslessSetupPath,
  type Eip7702Auth,
  type GaslessSetup,
  type GaslessSetupRequest,
  type PermitTypedData,
} from '@yield-vault/protocol';
import {
  AddressField,
  ApiAddress,
  ApiBaseUnits,
  ApiConstant,
  ApiInteger,
  ApiList,
  ApiObject,
  ApiObjectOrNull,
  ApiText,
  digitsPattern,
  Hash32Field,
  HexField,
  IntegerField,
  ObjectField,
  PatternField,
  TextField,
} from '@yield-vault/server';
import { maxUint256, type Address, type Hex } from 'viem';
import { examples } from '../../openapi/examples.js';
import { TypedDataFieldDto } from './intent-envelope.dto.js';

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

  @PatternField({
    description: 'Id of the vault, from discover.',
    pattern: digitsPattern,
    form: 'decimal digits',
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

  @HexField({ description: 'Signature of the permit: 65 bytes.', example: examples.signature })
  readonly permitSignature!: Hex;

  @ObjectField(() => Eip7702AuthDto, {
    description: 'The signed authorization; absent where `gaslessSetup.authorization` is null.',
    optional: true,
  })
  readonly authorization?: Eip7702AuthDto;
}

@ApiSchema({ name: 'GaslessAuthorization', description: 'The EIP-7702 authorization to sign.' })
export class GaslessAuthorizationDto {
  @ApiAddress('Implementation to delegate to.', examples.implementation) readonly contractAddress!: Address;
  @ApiInteger('Chain id.', 8453) readonly chainId!: number;
  @ApiInteger('Transaction count of the wallet.', 0) readonly nonce!: number;
}

@ApiSchema({ name: 'PermitDomain', description: 'EIP-712 domain of USDC.' })
export class PermitDomainDto {
  @ApiText('Name of the domain.', 'USD Coin') readonly name!: string;
  @ApiText('Version of the domain.', '2') readonly version!: string;
  @ApiInteger('Chain id.', 8453) readonly chainId!: number;
  @ApiAddress('USDC.', examples.usdc) readonly verifyingContract!: Address;
}

@ApiSchema({ name: 'PermitTypes', description: 'EIP-712 types.' })
export class PermitTypesDto {
  @ApiList(() => TypedDataFieldDto, 'Fields of the type Permit.')
  readonly Permit!: readonly TypedDataFieldDto[];
}

@ApiSchema({ name: 'PermitMessage', description: 'The permit; uint256 as decimal strings.' })
export class PermitMessageDto {
  @ApiAddress('The wallet.', examples.agentAddress) readonly owner!: Address;
  @ApiAddress('The paymaster.', examples.paymaster) readonly spender!: Address;
  @ApiBaseUnits('USDC that the paymaster may take for gas over time.', '20000000') readonly value!: string;
  @ApiBaseUnits('nonces(owner) of USDC.', '0') readonly nonce!: string;
  @ApiBaseUnits('2^256-1: an unused permit is valid until its nonce is spent.', maxUint256.toString())
  readonly deadline!: string;
}

@ApiSchema({ name: 'Permit', description: 'EIP-712 payload of an EIP-2612 permit, to sign.' })
export class PermitDto implements PermitTypedData {
  @ApiObject(() => PermitDomainDto, 'Domain.') readonly domain!: PermitDomainDto;
  @ApiObject(() => PermitTypesDto, 'Types.') readonly types!: PermitTypesDto;
  @ApiConstant('Permit', 'Primary type.') readonly primaryType!: 'Permit';
  @ApiObject(() => PermitMessageDto, 'Message.') readonly message!: PermitMessageDto;
}

@ApiSchema({ name: 'GaslessSetup', description: 'What a wallet signs to be set up by its first deposit.' })
export class GaslessSetupDto implements GaslessSetup {
  @ApiObjectOrNull(GaslessAuthorizationDto, 'null where the wallet delegates already.')
  readonly authorization!: GaslessAuthorizationDto | null;

  @ApiObject(() => PermitDto, 'Lets the paymaster take USDC for gas.') readonly permit!: PermitDto;

  @ApiConstant(gaslessSetupPath, 'Where to send both signatures.')
  readonly endpoint!: typeof gaslessSetupPath;
}
