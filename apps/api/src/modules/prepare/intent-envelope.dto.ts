import {
  hash32Pattern,
  intentTypes,
  type EnvelopeUserOperation,
  type IntentEnvelope,
  type IntentSigning,
  type WireUserOperation,
} from '@yield-vault/protocol';
import { ApiSchema } from '@nestjs/swagger';
import {
  AddressField,
  AnyArrayField,
  AnyField,
  ArrayField,
  ConstantField,
  Hash32Field,
  HexField,
  IntegerField,
  MatrixField,
  ObjectField,
  QuantityField,
  TextField,
} from '@yield-vault/server';
import type { Address, Hex } from 'viem';
import { examples } from '../../openapi/examples.js';

@ApiSchema({
  name: 'UserOperation',
  description: 'An ERC-4337 user operation, paymaster fields packed. Further properties are ignored.',
})
export class UserOperationDto implements WireUserOperation {
  @AddressField({ description: 'The wallet.', example: examples.agentAddress }) readonly sender!: Address;
  @QuantityField({ description: 'Nonce, decimal or 0x-hex.', example: '0' }) readonly nonce!: string;
  @HexField({ description: 'What the account is to do.', example: '0x' }) readonly callData!: Hex;

  @HexField({ description: '0x as prepared; the relay packs the intent signature.', example: '0x' })
  readonly signature!: Hex;

  @HexField({ description: '0x or 0x7702, as prepared.', optional: true, example: '0x' })
  readonly initCode?: Hex;

  @QuantityField({ description: 'Gas of the call.', optional: true, example: '400000' })
  readonly callGasLimit?: string;

  @QuantityField({ description: 'Gas of the validation.', optional: true, example: '150000' })
  readonly verificationGasLimit?: string;

  @QuantityField({ description: 'Gas of the bundler.', optional: true, example: '60000' })
  readonly preVerificationGas?: string;

  @QuantityField({ description: 'Highest fee per gas, in wei.', optional: true, example: '1000000000' })
  readonly maxFeePerGas?: string;

  @QuantityField({ description: 'Highest priority fee per gas, in wei.', optional: true, example: '1000000' })
  readonly maxPriorityFeePerGas?: string;

  @HexField({
    description: 'paymaster, verification gas, postOp gas and data, packed as from EntryPoint v0.7.',
    optional: true,
    example: '0x',
  })
  readonly paymasterAndData?: Hex;
}

@ApiSchema({
  name: 'EnvelopeUserOperation',
  description: 'A user operation and what belongs to it. Further properties are ignored.',
})
export class EnvelopeUserOperationDto implements EnvelopeUserOperation {
  @ObjectField(() => UserOperationDto, { description: 'The user operation.', open: true })
  readonly userOperation!: UserOperationDto;

  @AnyField({
    description: 'Any shape; only null and an authorization for a gasless setup are supported.',
    optional: true,
  })
  readonly eip7702Auth?: unknown;

  @HexField({
    description: 'Signature to use instead of intentSignature; 0x counts as not given.',
    optional: true,
    example: '0x',
  })
  readonly validatorSig?: Hex;
}

@ApiSchema({ name: 'IntentDomain', description: 'EIP-712 domain; the validator module verifies.' })
export class IntentDomainDto {
  @TextField({ description: 'Name of the domain.', example: 'YieldVaultIntent' }) readonly name!: string;
  @TextField({ description: 'Version of the domain.', example: '1' }) readonly version!: string;
  @IntegerField({ description: 'Chain id.', minimum: 1, example: 8453 }) readonly chainId!: number;

  @AddressField({ description: 'The validator module.', example: examples.validator })
  readonly verifyingContract!: Address;
}

@ApiSchema({ name: 'TypedDataField', description: 'One field of an EIP-712 type.' })
export class TypedDataFieldDto {
  @TextField({ description: 'Name of the field.', example: 'merkleRoot' }) readonly name!: string;
  @TextField({ description: 'Solidity type of the field.', example: 'bytes32' }) readonly type!: string;
}

@ApiSchema({ name: 'IntentTypes', description: 'EIP-712 types.' })
export class IntentTypesDto {
  @ArrayField(() => TypedDataFieldDto, {
    description: 'Fields of the type Intent.',
    example: intentTypes.Intent,
  })
  readonly Intent!: readonly TypedDataFieldDto[];
}

@ApiSchema({ name: 'IntentMessage', description: 'The message that the wallet signs.' })
export class IntentMessageDto {
  @Hash32Field({ description: 'Root of the envelope.', example: examples.hash32 }) readonly merkleRoot!: Hex;
  @IntegerField({ description: 'Chain id.', minimum: 1, example: 8453 }) readonly chainId!: number;
  @IntegerField({ description: 'Unix seconds.', minimum: 0, example: 1767225600 }) readonly expiry!: number;
  @IntegerField({ description: 'Unix seconds.', minimum: 0, example: 0 }) readonly validAfter!: number;
}

@ApiSchema({ name: 'IntentSigning', description: 'EIP-712 payload to sign.' })
export class IntentSigningDto implements IntentSigning {
  @ObjectField(() => IntentDomainDto, { description: 'Domain.' }) readonly domain!: IntentDomainDto;
  @ConstantField({ description: 'Primary type.', value: 'Intent' }) readonly primaryType!: 'Intent';
  @ObjectField(() => IntentTypesDto, { description: 'Types.' }) readonly types!: IntentTypesDto;
  @ObjectField(() => IntentMessageDto, { description: 'Message.' }) readonly message!: IntentMessageDto;
}

@ApiSchema({ name: 'IntentEnvelope', description: 'The intent, as prepare returned it.' })
export class IntentEnvelopeDto implements IntentEnvelope {
  @ConstantField({ description: 'Version of the envelope.', value: '1' }) readonly version!: '1';

  @TextField({ description: 'Must equal merkleRoot.', optional: true, example: examples.hash32 })
  readonly intentId?: string;

  @IntegerField({ description: 'Chain id.', minimum: 1, example: 8453 }) readonly chainId!: number;

  @AddressField({ description: 'The entry point.', optional: true, example: examples.entryPoint })
  readonly entryPoint?: Address;

  @AddressField({ description: 'The wallet.', optional: true, example: examples.agentAddress })
  readonly sender?: Address;

  @ArrayField(() => EnvelopeUserOperationDto, {
    description: 'The user operations; exactly one is supported.',
    minItems: 1,
    open: true,
  })
  readonly userOps!: readonly EnvelopeUserOperationDto[];

  @AnyArrayField({ description: 'Items of any shape; only an empty list is supported.', example: [] })
  readonly destinationExecutions: readonly unknown[] = [];

  @IntegerField({
    description: 'Unix seconds after which the intent is dead.',
    minimum: 0,
    example: 1767225600,
  })
  readonly expiry!: number;

  @IntegerField({ description: 'Unix seconds before which the intent is not valid.', minimum: 0, example: 0 })
  readonly validAfter!: number;

  @Hash32Field({ description: 'Root of the tree of operations; the intentId.', example: examples.hash32 })
  readonly merkleRoot!: Hex;

  @MatrixField({
    description: 'One Merkle proof for each operation.',
    pattern: hash32Pattern,
    form: '0x followed by 64 hex digits',
    example: [[]],
  })
  readonly proofs: readonly (readonly Hex[])[] = [];

  @ObjectField(() => IntentSigningDto, { description: 'EIP-712 payload that was signed.', optional: true })
  readonly signing?: IntentSigningDto;

  @AnyField({ description: 'Any shape; only null is supported.', optional: true })
  readonly eip7702AuthRequest?: unknown;
}
