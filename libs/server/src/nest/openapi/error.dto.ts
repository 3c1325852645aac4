import {
  errorCatalogue,
  type ErrorCode,
  type ErrorResponse,
  type PaymentRequiredResponse,
} from '@yield-vault/protocol';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ApiBoolean, ApiChoice, ApiConstant, ApiInteger, ApiText } from './api-fields.js';

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

@ApiSchema({ name: 'PaymentRequired', description: 'The price, in x402 form.' })
export class PaymentRequiredDto implements PaymentRequiredResponse {
  @ApiInteger('Version of the protocol.', 1) readonly x402Version!: number;
  @ApiConstant('Payment required', 'The documented sentence of the error.') readonly error!: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Accepted terms in the form of x402 v1; the header PAYMENT-REQUIRED holds the form of v2.',
    example: [
      {
        scheme: 'exact',
        network: 'base',
        maxAmountRequired: '10000',
        resource: 'https://api.example.org/v1/yield/prepare',
        description: 'Build a setup or an execution payload',
        mimeType: 'application/json',
        outputSchema: {},
        payTo: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
        maxTimeoutSeconds: 120,
        asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        extra: { name: 'USD Coin', version: '2' },
      },
    ],
  })
  readonly accepts!: readonly unknown[];

  @ApiConstant('PAYMENT_REQUIRED', 'Stable code.') readonly code!: string;
  @ApiText('X-Request-Id of the response.', '6f9d6a52-3d0a-4a2e-8f0c-1f1f0c1b7e11')
  readonly requestId!: string;
}
