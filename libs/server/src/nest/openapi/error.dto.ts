import {
  errorCatalogue,
  type ErrorCode,
  type ErrorResponse,
  type PaymentRequiredResponse,
  type PaymentRequirements,
  type PaymentRequirementsV1,
} from '@yield-vault/protocol';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import {
  ApiAddress,
  ApiBaseUnits,
  ApiBoolean,
  ApiChoice,
  ApiConstant,
  ApiInteger,
  ApiList,
  ApiText,
} from './api-fields.js';

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const payTo = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

@ApiSchema({ name: 'Error', description: 'An error, in the same form on every route.' })
export class ErrorDto implements ErrorResponse {
  @ApiInteger('HTTP status.', 400) readonly statusCode!: number;
  @ApiText('The documented sentence of the error.', 'Invalid request parameters') readonly error!: string;
  @ApiChoice(Object.keys(errorCatalogue), 'Stable code.', 'INVALID_PARAMETERS') readonly code!: ErrorCode;
  @ApiText('What was wrong with this call.', 'limit must be at most 20.') readonly detail!: string;
  @ApiBoolean('The same call may succeed later.', false) readonly retryable!: boolean;

  @ApiText('What to do next.', 'Correct the fields listed in details.violations.')
  readonly nextAction!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Particulars, such as violations, supportedChains, aaCode or revertReason.',
    example: { violations: [{ field: 'limit', message: 'must be at most 20' }] },
  })
  readonly details!: ErrorResponse['details'];

  @ApiText('X-Request-Id of the response.', '6f9d6a52-3d0a-4a2e-8f0c-1f1f0c1b7e11')
  readonly requestId!: string;
}

class PaymentTermsDto {
  @ApiText('Scheme of x402.', 'exact') readonly scheme!: string;
  @ApiAddress('Token to pay with.', usdc) readonly asset!: string;
  @ApiAddress('Recipient.', payTo) readonly payTo!: string;
  @ApiInteger('Longest validity of the authorization, in seconds.', 120) readonly maxTimeoutSeconds!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Name and version in the EIP-712 domain of the token.',
    example: { name: 'USD Coin', version: '2' },
  })
  readonly extra!: PaymentRequirements['extra'];
}

@ApiSchema({ name: 'PaymentRequirements', description: 'One way to pay, in the form of x402 v2.' })
export class PaymentRequirementsDto extends PaymentTermsDto implements PaymentRequirements {
  @ApiText('Chain to pay on (CAIP-2).', 'eip155:8453') readonly network!: string;
  @ApiBaseUnits('Price in base units of the token.', '10000') readonly amount!: string;
}

@ApiSchema({ name: 'PaymentRequirementsV1', description: 'One way to pay, in the form of x402 v1.' })
class PaymentRequirementsV1Dto extends PaymentTermsDto implements PaymentRequirementsV1 {
  @ApiText('Chain to pay on, by its name in x402 v1.', 'base') readonly network!: string;
  @ApiBaseUnits('Price in base units of the token.', '10000') readonly maxAmountRequired!: string;
  @ApiText('URL of the resource.', 'https://api.example.org/v1/yield/prepare') readonly resource!: string;
  @ApiText('Purpose of the resource.', 'Build a setup or an execution payload') readonly description!: string;
  @ApiText('Media type of the response.', 'application/json') readonly mimeType!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Input and output of the resource.',
    example: { input: { type: 'http', method: 'POST', discoverable: true, bodyType: 'json' } },
  })
  readonly outputSchema!: Readonly<Record<string, unknown>>;
}

@ApiSchema({ name: 'PaymentRequired', description: 'The price, in x402 form.' })
export class PaymentRequiredDto implements PaymentRequiredResponse {
  @ApiInteger('Version of the protocol.', 1) readonly x402Version!: number;
  @ApiConstant('Payment required', 'The documented sentence of the error.') readonly error!: string;

  @ApiList(
    () => PaymentRequirementsV1Dto,
    'Accepted terms in the form of x402 v1; the header PAYMENT-REQUIRED holds the form of v2.',
  )
  readonly accepts!: readonly PaymentRequirementsV1Dto[];

  @ApiConstant('PAYMENT_REQUIRED', 'Stable code.') readonly code!: string;
  @ApiText('X-Request-Id of the response.', '6f9d6a52-3d0a-4a2e-8f0c-1f1f0c1b7e11')
  readonly requestId!: string;
}
