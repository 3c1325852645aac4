import type { Account, Chain, Client, JsonRpcAccount, LocalAccount, Transport } from 'viem';
import { deploymentsOn } from '../delegation/describe-delegation.js';
import { executeCalls, type CallsOperation, type ExecutedCalls } from '../flow/execute-calls.js';
import { execute } from '../flow/execute.js';
import type { Agent, ExecuteResult, Limits, OperationRequest, RebalanceChoice } from '../flow/types.js';
import type { AgentClient } from '../http/create-agent-client.js';
import type { DiscoverRequest } from '../types.js';
import { agentAddressBook } from '../verify/address-book.js';

/** Parameters of `yieldVaultActions`. */
export interface YieldVaultActionsParameters extends Omit<Limits, 'chain'>, Pick<Agent, 'onProgress'> {
  /** A client of the service. */
  readonly client: AgentClient;
}

// A JSON-RPC account cannot sign authorizations.
type Executed<account> = account extends JsonRpcAccount ? ExecutedCalls : ExecuteResult;

type Place = Pick<OperationRequest, 'vault' | 'asset'>;

/**
 * Extend a wallet client of viem by the verified flow on its chain. The service is checked against the transport of the
 * wallet client. An account of a JSON-RPC wallet deposits and redeems by `executeCalls`, which it pays for itself; it cannot
 * rebalance. Every other account uses `execute`.
 *
 * @throws {UnknownChainError} when the address book has no deployment on the chain of the wallet client
 * @throws {UnsupportedSignerError} from an operation, when the account cannot sign it, e.g. a rebalance of a JSON-RPC wallet
 * @throws as `execute` or `executeCalls`, from an operation
 * @example
 * const wallet = createWalletClient({ account, chain: base, transport: http() }).extend(yieldVaultActions({ client }));
 * const { vaults } = await wallet.discover({ asset: 'USDC' });
 * await wallet.deposit({ vault: vaults[0].vaultAddress, asset: 'USDC', amount: '25' });
 */
export function yieldVaultActions({ client, ...limits }: YieldVaultActionsParameters) {
  return <account extends Account>(wallet: Client<Transport, Chain, account>) => {
    const { account } = wallet;
    const [{ chain }] = deploymentsOn(limits.addressBook ?? agentAddressBook, wallet.chain.id);
    const agent: Agent = {
      ...limits,
      client,
      signer: account as unknown as LocalAccount,
      rpc: wallet,
      chain,
    };
    const act = (request: CallsOperation) =>
      (account.type === 'json-rpc'
        ? executeCalls({ ...agent, wallet: wallet }, request)
        : execute(agent, request)) as Promise<Executed<account>>;
    return {
      discover: (request: Omit<DiscoverRequest, 'chain'> = {}) => client.discover({ ...request, chain }),
      quote: client.quote,
      /** The positions of the account, on all chains. */
      status: () => client.status(account.address),
      /** @param request - `amount` in human units of the asset */
      deposit: (request: Place & { readonly amount: string }) => act({ ...request, operation: 'deposit' }),
      /** @param request - `percentage` of the position: above 0, at most 100 */
      redeem: (request: Place & { readonly percentage: number }) => act({ ...request, operation: 'redeem' }),
      rebalance: (request: Place & RebalanceChoice) => execute(agent, { ...request, operation: 'rebalance' }),
    };
  };
}
