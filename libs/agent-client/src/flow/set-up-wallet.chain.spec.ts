import { canonical, walletContracts } from '@yield-vault/contracts';
import { testAccount } from '@yield-vault/testing';
import { keccak256, zeroAddress, type Address, type Hex } from 'viem';
import {
  plantValidator,
  startContractsChain,
  type ContractsChain,
} from '../../test/start-contracts-chain.js';
import { soon } from '../../test/support/build-prepared.js';
import { buildSetupResponse } from '../../test/support/build-setup.js';
import { describeDelegation, UnknownModulesError } from '../delegation/describe-delegation.js';
import { ApiError, FlowError, ServiceUnreachableError, SetupPendingError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import type { SetupRelayRequest } from '../types.js';
import { localAddressBook as addressBook } from '../verify/address-book.js';
import { createWalletNode } from './wallet-node.js';
import { setUpWallet } from './set-up-wallet.js';
import type { Agent } from './types.js';

let chain: ContractsChain;

beforeAll(async () => {
  chain = await startContractsChain();
}, 60_000);
afterAll(() => chain.stop());

/** What prepare answers for a plain wallet. */
const buildSetup = (wallet: Address, gas: object) =>
  buildSetupResponse({
    setup: {
      to: wallet,
      gas: { gasLimit: '150000', maxFeePerGas: '3000000000', maxPriorityFeePerGas: '1000000000', ...gas },
    },
    ticket: { walletAddress: wallet, expiresAt: new Date(soon() * 1_000).toISOString() },
  });

/** An agent whose service relays at once. */
function agentOf(name: string) {
  const setupRelay = jest.fn(async ({ signedRawTx }: SetupRelayRequest) => {
    expect(await chain.sendRaw([signedRawTx as Hex])).toEqual(['success']);
    return { txHash: keccak256(signedRawTx as Hex) };
  });
  const client = { setupRelay } as unknown as AgentClient;
  const { rpcUrl: rpc } = chain;
  const agent: Agent = { client, signer: testAccount(name), rpc, chain: 'base', addressBook };
  return { agent, setupRelay };
}
const setUp = async (name: string, agent: Agent, gas = {}) => {
  const wallet = await chain.fund(name);
  return setUpWallet(agent, wallet, createWalletNode(chain.rpcUrl), buildSetup(wallet, gas));
};

const ours = { kind: 'ours', implementation: walletContracts.account };
const delegationOf = async (name: string) =>
  (await describeDelegation(chain.rpc, testAccount(name).address, { addressBook })).delegation;

describe('setUpWallet', () => {
  it('default: the wallet is set up', async () => {
    const { agent, setupRelay } = agentOf('newcomer');
    await setUp('newcomer', agent);
    expect(setupRelay).toHaveBeenCalledTimes(1);
    expect(await delegationOf('newcomer')).toEqual(ours);
  });

  it('error: UnknownModulesError for a validator that waits in the storage, and nothing is signed', async () => {
    await plantValidator(chain, 'returning');
    const { agent, setupRelay } = agentOf('returning');
    await expect(setUp('returning', agent)).rejects.toThrow(UnknownModulesError);
    expect(setupRelay).not.toHaveBeenCalled();
  });

  it('error: DELEGATION_MISMATCH for a wallet of other software, and nothing is signed', async () => {
    const wallet = await chain.fund('delegated');
    await chain.send('delegated', { to: zeroAddress, delegate: canonical.multicall3 });
    const nonce = await chain.rpc.getTransactionCount({ address: wallet });
    const { agent, setupRelay } = agentOf('delegated');

    await expect(setUp('delegated', agent)).rejects.toMatchObject({
      name: 'VerificationError',
      reason: 'DELEGATION_MISMATCH',
      detail: expect.stringContaining(canonical.multicall3) as string,
    });
    expect(setupRelay).not.toHaveBeenCalled();
    expect(await chain.rpc.getTransactionCount({ address: wallet })).toBe(nonce);

    await setUp('delegated', { ...agent, replaceDelegation: true });
    expect(await delegationOf('delegated')).toEqual(ours);
  });

  const lost = new ServiceUnreachableError('connection failed');
  const code = 'SETUP_TRANSACTION_REJECTED';
  const duplicate = new ApiError({ status: 400, error: 'x', code, afterLostResponse: true });

  it.each([
    ['the response is lost', 'loser', lost],
    ['it is refused as a duplicate after a lost response', 'repeater', duplicate],
  ])('behavior: the setup that the chain shows when %s, signed once', async (_, name, failure) => {
    const { agent, setupRelay } = agentOf(name);
    const relay = setupRelay.getMockImplementation()!;
    let txHash: Hex | undefined;
    setupRelay.mockImplementation(async (request) => {
      ({ txHash } = await relay(request));
      throw failure;
    });
    expect(await setUp(name, agent)).toEqual({
      txHash,
      receiptStatus: 'success',
      blockNumber: String((await chain.rpc.getTransactionReceipt({ hash: txHash! })).blockNumber),
      setupType: 'full',
    });
    expect(setupRelay).toHaveBeenCalledTimes(1);
  });

  it('error: SETUP_REVERTED when the chain shows it', async () => {
    const { agent, setupRelay } = agentOf('out of gas');
    setupRelay.mockImplementation(async ({ signedRawTx }) => {
      expect(await chain.sendRaw([signedRawTx as Hex])).toEqual(['reverted']);
      throw lost;
    });
    const failed = setUp('out of gas', agent, { gasLimit: '46000' });
    await expect(failed).rejects.toBeInstanceOf(FlowError);
    await expect(failed).rejects.toMatchObject({ code: 'SETUP_REVERTED', cause: lost });
  });

  it('error: SetupPendingError while it is in no block, and one setup at most is included', async () => {
    const { agent, setupRelay } = agentOf('waiting');
    setupRelay.mockRejectedValueOnce(lost);
    const failed = setUp('waiting', agent);
    await expect(failed).rejects.toBeInstanceOf(SetupPendingError);
    const [[request]] = setupRelay.mock.calls as [[SetupRelayRequest]];
    await expect(failed).rejects.toMatchObject({
      request,
      txHash: keccak256(request.signedRawTx as Hex),
      cause: lost,
    });

    // Another one, in its place.
    await setUp('waiting', agent, { gasLimit: '410000' });
    const serializedTransaction = request.signedRawTx as Hex;
    await expect(chain.rpc.sendRawTransaction({ serializedTransaction })).rejects.toThrow(/nonce too low/);
  });

  it('error: a refusal for good passes through', async () => {
    const refused = new ApiError({ status: 400, error: 'x', code: 'SETUP_TICKET_REJECTED' });
    const { agent, setupRelay } = agentOf('refused');
    setupRelay.mockRejectedValue(refused);
    await expect(setUp('refused', agent)).rejects.toBe(refused);
  });
});
