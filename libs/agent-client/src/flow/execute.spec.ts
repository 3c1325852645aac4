import { delegationCode } from '@yield-vault/smart-account';
import { testAccount } from '@yield-vault/testing';
import { local, localOn, otherVault, stranger, vault } from '../../test/support/book.js';
import { fakeExecute } from '../../test/support/build-execution.js';
import {
  buildPrepared,
  deposit,
  depositPrevious,
  redeemAll,
  soon,
  type PreparedParts,
} from '../../test/support/build-prepared.js';
import { useOwnNode } from '../../test/support/own-node.js';
import { FlowError, localAddressBook, NodeFailedError, VerificationError } from '../index.js';
import { vaultIdOf, type PrepareResponse } from '@yield-vault/protocol';
import { signIntent } from '../sign/sign-intent.js';
import { execute } from './execute.js';
import type { Limits, OperationRequest } from './types.js';

const signer = testAccount('owner');
const elsewhere = { ...localAddressBook, deployments: [{ ...local, entryPoint: vault } as const] };
const requested: OperationRequest = { operation: 'deposit', vault, asset: 'USDC', amount: '25' };

describe('execute', () => {
  const own = useOwnNode();

  const agentOf = (parts: PreparedParts = {}) => {
    const envelope = buildPrepared({ expiry: soon(), ...parts });
    const send = fakeExecute();
    const prepare = jest.fn(() =>
      Promise.resolve({
        needsSetup: false,
        execution: { intentEnvelope: envelope },
      } as unknown as PrepareResponse),
    );
    const agent = own.agentOf({ prepare, execute: send });
    return { agent, prepare, send, envelope };
  };

  it('default: signs the verified envelope, in one call of prepare and one of execute', async () => {
    const { agent, prepare, send, envelope } = agentOf();
    const { verified, setup, request } = await execute(agent, requested);
    expect(setup).toEqual({ kind: 'already-set-up' });
    expect(verified.summary.join('\n')).toContain('for at least 24.87 shares');
    expect(prepare.mock.calls).toEqual([
      [
        {
          operation: 'deposit',
          asset: 'USDC',
          amount: '25',
          chain: 'base',
          agentAddress: signer.address,
          vaultId: expect.stringMatching(/^\d+$/) as string,
        },
      ],
    ]);
    const [{ intentEnvelope, intentSignature }] = send.mock.calls[0]!;
    expect(intentEnvelope).toEqual(envelope);
    expect(request).toEqual({ intentEnvelope, intentSignature });
    expect(intentSignature).toBe(await signIntent(signer, verified));
  });

  it.each<[string, string, object, Partial<Limits>?, PreparedParts?]>([
    ['MINIMUM_TOO_LOW', 'the own node', { quote: deposit.minShares * 2n }],
    ['NONCE_MISMATCH', 'the own node', { sequence: 8n }],
    ['DELEGATION_MISMATCH', 'the own node', { code: delegationCode(stranger) }],
    ['GAS_TOO_EXPENSIVE', 'the limits of the agent', {}, { maxGasUsdc: 1_000n }],
    ['ENTRY_POINT_MISMATCH', 'the book of the agent', {}, { addressBook: elsewhere }],
    ['CHAIN_MISMATCH', 'its chain, although the book has both', {}, {}, { deployment: localOn(1) }],
  ])('error: %s by %s, and nothing is sent', async (reason, _, changes, ...[limits, parts]) => {
    Object.assign(own, changes);
    const { agent, send } = agentOf(parts);
    const failed = execute({ ...agent, ...limits }, requested);
    await expect(failed).rejects.toBeInstanceOf(VerificationError);
    await expect(failed).rejects.toMatchObject({ reason });
    expect(send).not.toHaveBeenCalled();
  });

  it('attack: an envelope that moves to another vault than the response names', async () => {
    const hooks = [redeemAll, depositPrevious];
    const { agent, prepare, send, envelope } = agentOf({ hooks });
    const named = { target: { vaultId: vaultIdOf(8453, vault) } };
    const execution = { intentEnvelope: envelope };
    prepare.mockResolvedValue({ needsSetup: false, execution, ...named } as unknown as PrepareResponse);
    const targets = [vault, otherVault] as const;
    const moved = execute(agent, { operation: 'rebalance', vault, asset: 'USDC', targets });
    await expect(moved).rejects.toMatchObject({ code: 'NO_VAULT' });
    expect(send).not.toHaveBeenCalled();
  });

  it('error: CHAIN_MISMATCH for a node of another chain, before any request to the service', async () => {
    own.chainId = 1;
    const { agent, prepare, send } = agentOf();
    const failed = execute(agent, requested);
    await expect(failed).rejects.toBeInstanceOf(FlowError);
    await expect(failed).rejects.toMatchObject({
      code: 'CHAIN_MISMATCH',
      message: expect.stringMatching(
        /chain 1, and base is chain 8453\. Give a node of base as rpc/,
      ) as string,
    });
    expect([prepare, send].map(({ mock }) => mock.calls)).toEqual([[], []]);
  });

  it('error: NodeFailedError, without the URL', async () => {
    own.setFault('http-500');
    const { agent, send } = agentOf();
    const failed = execute(agent, requested);
    await expect(failed).rejects.toBeInstanceOf(NodeFailedError);
    await expect(failed).rejects.not.toMatchObject({
      message: expect.stringContaining(own.url()) as string,
    });
    expect(send).not.toHaveBeenCalled();
  });

  it.each([
    { needsSetup: false },
    { needsSetup: false, execution: null },
    { needsSetup: true, setup: {}, setupTicket: {} },
  ])('error: a response with nothing to sign (%j)', async (response) => {
    const { agent, prepare } = agentOf();
    prepare.mockResolvedValue(response as unknown as PrepareResponse);
    const failed = execute(agent, requested);
    await expect(failed).rejects.toBeInstanceOf(VerificationError);
    await expect(failed).rejects.toMatchObject({ reason: 'MALFORMED' });
  });
});
