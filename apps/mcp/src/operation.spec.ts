import { agentAddressBook } from '@yield-vault/agent-client';
import { chainIdOf, toRequest, type OperationInput } from './operation.js';

const vault = '0x4791cb70E233BD6120b81e1dB416589E38B1843C';
const build = (input: Partial<OperationInput>): OperationInput => ({
  ...{ operation: 'deposit', chain: 'base', wallet: vault, vault, asset: 'USDC' },
  ...input,
});

describe('toRequest', () => {
  it.each<Partial<OperationInput>>([
    { operation: 'deposit', amount: '1' },
    { operation: 'redeem', percentage: 50 },
    { operation: 'rebalance', targets: [vault] },
    { operation: 'rebalance', targets: [vault], strategy: 'balanced', riskTolerance: 'low' },
    { operation: 'rebalance', target: vault },
  ])('default: $operation', (fields) => {
    expect(toRequest(build(fields))).toEqual({ ...fields, vault, asset: 'USDC' });
  });

  it.each<Partial<OperationInput>>([
    { operation: 'deposit' },
    { operation: 'deposit', percentage: 50 },
    { operation: 'redeem', percentage: 50, amount: '1' },
    { operation: 'rebalance', amount: '1' },
    { operation: 'rebalance', targets: [vault], target: vault },
    { operation: 'rebalance', target: vault, strategy: 'balanced' },
    { operation: 'deposit', amount: '1', riskTolerance: 'low' },
  ])('error: INVALID_PARAMETERS for %j', (fields) => {
    expect(() => toRequest(build(fields))).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETERS' }));
  });
});

it('chainIdOf', () => {
  expect(chainIdOf(agentAddressBook, 'base')).toBe(8453);
  expect(() => chainIdOf(agentAddressBook, 'moon')).toThrow(
    expect.objectContaining({
      code: 'UNKNOWN_CHAIN',
      nextAction: expect.stringMatching(/^Use one of: base, ethereum, /) as string,
    }),
  );
});
