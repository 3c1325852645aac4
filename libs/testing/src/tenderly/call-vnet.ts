/** One JSON-RPC call as it arrived. */
export interface RpcCall {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** Its answer. */
export interface RpcAnswer {
  readonly jsonrpc: '2.0';
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

type Ask = (method: string, params?: readonly unknown[]) => Promise<unknown>;
type Method = (ask: Ask, params: readonly unknown[]) => Promise<unknown>;

const plainMethod = /^(eth|net|web3|debug)_/;

class RpcError extends Error {
  constructor(readonly answer: RpcAnswer['error']) {
    super(answer?.message);
  }
}

/** Answer one call as a Virtual TestNet does, out of an Anvil. The methods of Anvil itself are not known there. */
export async function callVnet(
  rpcUrl: string,
  { id, method, params = [] }: RpcCall,
  { isAdmin }: { readonly isAdmin: boolean },
): Promise<RpcAnswer> {
  const ask: Ask = async (name, args = []) => {
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: args }),
    });
    const answer = (await response.json()) as RpcAnswer;
    if (answer.error) throw new RpcError(answer.error);
    return answer.result;
  };
  try {
    return { jsonrpc: '2.0', id, result: await chooseMethod(method, isAdmin)(ask, params) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { jsonrpc: '2.0', id, error: error.answer ?? { code: -32603, message: 'unknown' } };
  }
}

function chooseMethod(method: string, isAdmin: boolean): Method {
  const admin = isAdmin ? adminMethods[method] : undefined;
  if (admin) return admin;
  if (plainMethod.test(method) && !/^eth_(sendTransaction|sign|accounts|sendUnsigned)/.test(method)) {
    return (ask, params) => ask(method, params);
  }
  return () => Promise.reject(new RpcError({ code: -32601, message: `the method ${method} does not exist` }));
}

const blockHash = async (ask: Ask) =>
  ((await ask('eth_getBlockByNumber', ['latest', false])) as { hash: string }).hash;

/** A cheat is written down as a transaction, in a block of its own. */
async function cheat(ask: Ask, act: () => Promise<unknown>): Promise<string> {
  await act();
  await ask('evm_mine');
  return blockHash(ask);
}

const listOf = (value: unknown) => [value].flat() as string[];

// Quantities have no leading zeros, as Tenderly demands.
function quantity(value: unknown): bigint {
  if (typeof value === 'string' && /^0x(0|[1-9a-f][\da-f]*)$/i.test(value)) return BigInt(value);
  throw new RpcError({ code: -32602, message: 'invalid argument: hex number with leading zero digits' });
}

const hex = (value: bigint) => `0x${value.toString(16)}`;

const balanceOf = async (ask: Ask, token: string, owner: string) =>
  BigInt(
    (await ask('eth_call', [
      { to: token, data: `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}` },
      'latest',
    ])) as string,
  );

const adminMethods: Readonly<Record<string, Method>> = {
  tenderly_setBalance: (ask, [owners, amount]) =>
    cheat(ask, async () => {
      for (const owner of listOf(owners)) await ask('anvil_setBalance', [owner, hex(quantity(amount))]);
    }),
  tenderly_addBalance: (ask, [owners, amount]) =>
    cheat(ask, async () => {
      for (const owner of listOf(owners)) await ask('anvil_addBalance', [owner, hex(quantity(amount))]);
    }),
  tenderly_setErc20Balance: (ask, [token, owner, amount]) =>
    cheat(ask, () => ask('anvil_dealERC20', [owner, token, hex(quantity(amount))])),
  tenderly_addErc20Balance: (ask, [token, owners, amount]) =>
    cheat(ask, async () => {
      for (const owner of listOf(owners)) {
        const sum = (await balanceOf(ask, String(token), owner)) + quantity(amount);
        await ask('anvil_dealERC20', [owner, token, hex(sum)]);
      }
    }),
  tenderly_setStorageAt: (ask, params) => cheat(ask, () => ask('anvil_setStorageAt', params)),
  tenderly_setCode: (ask, params) => cheat(ask, () => ask('anvil_setCode', params)),
  evm_increaseTime: async (ask, [seconds]) => {
    await ask('evm_increaseTime', [hex(quantity(seconds))]);
    await ask('evm_mine');
    return blockHash(ask);
  },
  evm_increaseBlocks: async (ask, [count]) => {
    await ask('anvil_mine', [hex(quantity(count))]);
    return blockHash(ask);
  },
  evm_mine: async (ask) => {
    await ask('evm_mine');
    return blockHash(ask);
  },
  evm_snapshot: (ask) => ask('evm_snapshot'),
  evm_revert: async (ask, params) => {
    if (await ask('evm_revert', params)) return true;
    throw new RpcError({ code: -32000, message: `snapshot ${String(params[0])} not found` });
  },
  eth_sendTransaction: async (ask, [transaction]) => {
    const { gasPrice, ...rest } = transaction as { gasPrice?: string };
    // Gas may cost nothing there whatever the base fee is.
    if (gasPrice === '0x0') await ask('anvil_setNextBlockBaseFeePerGas', ['0x0']);
    return ask('eth_sendTransaction', [{ ...rest, ...(gasPrice && { gasPrice }) }]);
  },
};
