import type { OpenAPIObject } from '@nestjs/swagger';

const variants = {
  deposit: ['PrepareDeposit', 'PrepareDepositResponse'],
  redeem: ['PrepareRedeem', 'PrepareRedeemResponse'],
  rebalance: ['PrepareRebalance', 'PrepareRebalanceResponse'],
} as const;

const refTo = (schema: string) => `#/components/schemas/${schema}`;

/** Select the response of prepare by `operation`: each operation has the setup response and its own. */
export function discriminatePrepare({ components, paths }: OpenAPIObject): void {
  const schemas = components?.schemas;
  const response = paths['/v1/yield/prepare']?.post?.responses['200'];
  const content = response && 'content' in response ? response.content?.['application/json'] : undefined;
  if (!schemas || !content) return;
  for (const [operation, [name, prepared]] of Object.entries(variants)) {
    schemas[name] = {
      description: `Response of prepare for \`operation: "${operation}"\`.`,
      type: 'object',
      required: ['operation'],
      properties: { operation: { type: 'string', enum: [operation] } },
      oneOf: [{ $ref: refTo('PrepareSetupResponse') }, { $ref: refTo(prepared) }],
    };
  }
  content.schema = {
    oneOf: Object.values(variants).map(([name]) => ({ $ref: refTo(name) })),
    discriminator: {
      propertyName: 'operation',
      mapping: Object.fromEntries(
        Object.entries(variants).map(([operation, [name]]) => [operation, refTo(name)]),
      ),
    },
  };
}
