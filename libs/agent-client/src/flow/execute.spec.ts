import { delegationCode } from '@yield-vault/smart-account';
import { testAccount } from '@yield-vault/testing';
import { recoverTypedDataAddress } from 'viem';
import { local, ofCircle, vault } from '../../test/support/book.js';
import { buildExecution } from '../../test/support/build-execution.js';
import { buildPrepared, deposit } from '../../test/support/build-prepared.js';
import { useOwnNode } from '../../test/support/own-node.js';
import { FlowError, localAddressBook, NodeFailedError, VerificationError } from '../index.js';
import type { AgentClient } from '../http/create-agent-client.js';
import type { ExecuteRequest, PrepareResponse } from '@yield-vault/protocol';
import { execute } from './execute.js';
import type { Agent, OperationRequest } from './types.js';

const signer = testAccount('owner');
const requested: OperationRequest = { operation: 'deposit', vault, asset: 'USDC', amount: '25' };
describe('execute', () => {
  const own = useOwnNode();

  const soon = () => Math.floor(Date.now() / 1_000) + 600;
  const agentOf = (envelope = buildPrepared({ expiry: soon() })) => {
    const send = jest.fn((request: ExecuteRequest) =>
      Promise.resolve(buildExecution(request.intentEnvelope)),
    );
    const prepare = jest.fn(() =>
      Promise.resolve({
        needsSetup: false,
        execution: { intentEnvelope: envelope },
      } as unknown as PrepareResponse),
    );
    const client = { prepare, execute: send } as unknown as AgentClient;
    const agent: Agent = { client, signer, rpcUrl: own.url(), chain: 'base', addressBook: localAddressBook };
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
    const { domain, types, primaryType, message } = verified.signing;
    expect(
      await recoverTypedDataAddress({
        domain,
        types,
        primaryType,
        message: { ...message, chainId: BigInt(message.chainId) },
        signature: intentSignature,
      }),
    ).toBe(signer.address);
  });

  it.each([
    ['MINIMUM_TOO_LOW', () => (own.quote = deposit.minShares * 2n)],
    ['NONCE_MISMATCH', () => (own.sequence = 8n)],
    ['DELEGATION_MISMATCH', () => (own.code = delegationCode(ofCircle.account))],
  ])('error: %s by the own node, and nothing is sent', async (reason, change) => {
    change();
    const { agent, send } = agentOf();
    const failed = execute(agent, requested);
    await expect(failed).rejects.toBeInstanceOf(VerificationError);
    await expect(failed).rejects.toMatchObject({ reason });
    expect(send).not.toHaveBeenCalled();
  });

  it.each([
    ['GAS_TOO_EXPENSIVE', { maxGasUsdc: 1_000n }],
    [
      'ENTRY_POINT_MISMATCH',
      { addressBook: { deployments: [{ ...local, entryPoint: vault }], tokens: localAddressBook.tokens } },
    ],
  ] as const)('error: %s by the limits of the agent', async (reason, limits) => {
    const { agent, send } = agentOf();
    await expect(execute({ ...agent, ...limits }, requested)).rejects.toMatchObject({ reason });
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
        /chain 1, and base is chain 8453\. Give the rpcUrl of a node of base/,
      ) as string,
    });
    expect([prepare, send].map(({ mock }) => mock.calls)).toEqual([[], []]);
  });

  it('error: an envelope of another chain than the node, which the book has too', async () => {
    const elsewhere = { ...local, chain: 'ethereum', chainId: 1 };
    const { agent, send } = agentOf(buildPrepared({ expiry: soon(), chainId: 1 }));
    const addressBook = { ...localAddressBook, deployments: [...localAddressBook.deployments, elsewhere] };
    await expect(execute({ ...agent, addressBook }, requested)).rejects.toMatchObject({
      reason: 'CHAIN_MISMATCH',
    });
    expect(send).not.toHaveBeenCalled();
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

  it('error: a setup of another wallet is not signed', async () => {
    const { agent, prepare } = agentOf();
    prepare.mockResolvedValue({ needsSetup: true, setup: {}, setupTicket: {} } as unknown as PrepareResponse);
    await expect(execute(agent, requested)).rejects.toMatchObject({ reason: 'MALFORMED' });
  });

  it.each([{}, { execution: null }, { execution: {}, target: null }])(
    'error: a response with nothing to sign (%j)',
    async (response) => {
      const { agent, prepare } = agentOf();
      prepare.mockResolvedValue({ needsSetup: false, ...response } as unknown as PrepareResponse);
      const failed = execute(agent, requested);
      await expect(failed).rejects.toBeInstanceOf(VerificationError);
      await expect(failed).rejects.toMatchObject({ reason: 'MALFORMED' });
    },
  );
});
