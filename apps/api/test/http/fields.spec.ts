import {
  buildDeposit,
  buildExecute,
  buildGasless,
  buildSetupRelay,
  putAt,
} from '../support/build-requests.js';
import { expectViolations } from '../support/expect-error.js';
import { examples } from '../../src/openapi/examples.js';
import { useServer } from '../support/start-server.js';

const server = useServer();

const funding = { chain: 'base', walletAddress: examples.testWallet, ethWei: '1', usdcAmount: '2' };
const query = {
  chain: 'base',
  asset: 'USDC',
  strategy: 'balanced',
  riskTolerance: 'low',
  minApy: 1,
  limit: 5,
};
const gasFields = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas', 'maxFeePerGas'];
const optionalOfOperation = ['initCode', ...gasFields, 'maxPriorityFeePerGas', 'paymasterAndData'];
const optionalOfEnvelope = [
  'intentId',
  'entryPoint',
  'sender',
  'destinationExecutions',
  'proofs',
  'signing',
  ...optionalOfOperation.map((name) => `userOps[0].userOperation.${name}`),
].map((name) => `intentEnvelope.${name}`);

/** Properties of a body, and of everything in it, as paths with dots. */
function pathsOf(value: unknown, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    `${prefix}${name}`,
    ...pathsOf(inner, `${prefix}${name}.`),
  ]);
}

// Further rules of a field are in the file of its route.
describe.each<[path: string, body: object, optional: readonly string[], open?: RegExp]>([
  ['/v1/yield/discover', query, Object.keys(query)],
  ['/v1/yield/prepare', buildDeposit(), ['operation', 'chain']],
  ['/v1/yield/gasless-setup', buildGasless(), ['chain', 'permitSignature', 'authorization']],
  [
    '/v1/yield/execute',
    buildExecute({ intentId: examples.hash32 }),
    ['intentId', 'intentEnvelope.userOps[0].validatorSig', ...optionalOfEnvelope],
    /userOps\[0\](\.userOperation)?$/,
  ],
  ['/v1/yield/setup-relay', buildSetupRelay(), ['setupTicket.setupType', 'confirmations']],
  ['/v1/testing/fund-wallet', funding, ['ethWei', 'usdcAmount']],
])('the fields of POST %s', (path, body, optional, open) => {
  const fields = pathsOf(body).map((place) => ({ place, field: place.replace(/\.(\d+)/g, '[$1]') }));
  // An item of a list cannot be missing.
  const named = fields.filter(({ field }) => !field.endsWith(']'));

  it.each(named)('error: InvalidParametersError for $field of another type', async ({ place, field }) => {
    for (const value of [null, true])
      expectViolations(await server.post(path, putAt(body, place, value)), [field]);
  });

  it('error: InvalidParametersError for each field that is required and missing, and for no other', async () => {
    const accepted: string[] = [];
    for (const { place, field } of named) {
      const response = await server.post(path, putAt(body, place, undefined));
      if (response.statusCode === 200) accepted.push(field);
      else expectViolations(response, [field]);
    }
    expect(accepted.sort()).toEqual([...optional].sort());
  });

  it('error: InvalidParametersError for an unknown property of each object that is not open', async () => {
    expectViolations(await server.post(path, { ...body, extra: 1 }), ['extra']);
    for (const { place, field } of fields) {
      const steps = place.split('.');
      const value = steps.reduce<unknown>((parent, step) => (parent as Record<string, unknown>)[step], body);
      if (typeof value !== 'object' || Array.isArray(value)) continue;
      const response = await server.post(path, putAt(body, `${place}.extra`, 1));
      if (open?.test(field)) expect([field, response.statusCode]).toEqual([field, 200]);
      else expectViolations(response, [`${field}.extra`]);
    }
  });
});
