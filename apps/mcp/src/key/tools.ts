import type { ServerContext } from '@modelcontextprotocol/server';
import { describeEvent, findToken, type FlowEvent, type OperationRequest } from '@yield-vault/agent-client';
import { addTool, type ToolContext } from '../add-tool.js';
import type { Spend } from './daily-total.js';
import { executedShape } from '../intent-tools.js';
import { requireAllowedVault, requireMaxAmount } from './limits.js';
import type { KeyRunner } from './runner.js';
import { amount, asset, chain, intentId, percentage, steering, toRequest, vault } from '../operation.js';
import type { KeySettings } from '../settings.js';
import { ToolError, type Outcome } from '../tool-result.js';

const destructive = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/** The key, and what all servers of the process share. */
interface Signing {
  readonly key: KeySettings;
  readonly run: KeyRunner;
  readonly spend: Spend;
}

/** Add the tools that sign with the key of the user. */
export function addKeyTools({ server, client, settings }: ToolContext, { key, run, spend }: Signing): void {
  const { addressBook, maxGasUsdc } = settings;
  const { account: signer, rpcUrl: rpc } = key;
  const signs = `Signs with ${signer.address} and executes at once; a new wallet is set up too. After a timeout, repeat the same call: for 10 minutes it returns the first outcome. To do it once more, give its intentId as after.`;
  const after = intentId
    .optional()
    .describe('intentId of the last outcome of the same call, to do it once more.');
  const place = { chain, vault, asset, after };

  const sign = async (
    { after, ...request }: OperationRequest & { readonly after?: string | undefined },
    chainKey: string,
    context: ServerContext,
  ): Promise<Outcome> => {
    const token = findToken(addressBook, chainKey, request.asset);
    requireAllowedVault(key, token.chainId, request.vault);
    if ('target' in request) requireAllowedVault(key, token.chainId, request.target);
    const amount = request.operation === 'deposit' ? request.amount : undefined;
    if (amount) requireMaxAmount(key, token, amount);
    const onProgress = progressOf(context);
    const agent = { client, signer, rpc, chain: chainKey, addressBook, maxGasUsdc, onProgress };
    const reserve = amount === undefined ? undefined : () => spend(token.symbol, amount);
    return run(agent, request, { after, reserve });
  };

  addTool(server, {
    name: 'deposit',
    description: `Deposit into a vault. ${signs}`,
    input: { ...place, amount },
    output: executedShape,
    annotations: destructive,
    run: ({ chain: chainKey, ...request }, context) =>
      sign({ operation: 'deposit', ...request }, chainKey, context),
  });

  addTool(server, {
    name: 'redeem',
    description: `Redeem a position to the wallet. ${signs}`,
    input: { ...place, percentage },
    output: executedShape,
    annotations: destructive,
    run: ({ chain: chainKey, ...request }, context) =>
      sign({ operation: 'redeem', ...request }, chainKey, context),
  });

  addTool(server, {
    name: 'rebalance',
    description: `Move a whole position to another vault of its asset: to target, or to the vault of ALLOWED_VAULTS that the service ranks best. ${signs}`,
    input: { ...place, ...steering },
    output: executedShape,
    annotations: destructive,
    run: ({ chain: chainKey, after: earlier, ...request }, context) => {
      const targets = request.target ? undefined : [...key.allowedVaults];
      if (targets?.length === 0)
        throw new ToolError(
          'VAULT_NOT_ALLOWED',
          'The user chose no vaults by ALLOWED_VAULTS.',
          'Give target.',
        );
      const operation = toRequest({ operation: 'rebalance', ...request, targets });
      return sign({ after: earlier, ...operation }, chainKey, context);
    },
  });
}

/** Report each document before it is signed, and each result, to a client that follows progress. */
function progressOf({ mcpReq }: ServerContext): ((event: FlowEvent) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (event) => {
    for (const message of describeEvent(event)) {
      const params = { progressToken, progress: ++progress, message };
      // The client may be gone; the operation goes on.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    }
  };
}
