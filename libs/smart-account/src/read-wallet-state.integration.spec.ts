import { canonical, deploySuite, inspectSuite, suiteAddresses } from '@yield-vault/contracts';
import { provisionLocalChain } from '@yield-vault/contracts/local';
import { InvalidParametersError } from '@yield-vault/protocol';
import { anvilKey, startAnvil, testKey, type Anvil } from '@yield-vault/testing';
import {
  createPublicClient,
  createWalletClient,
  http,
  parseEther,
  type Address,
  type Hex,
  type Transport,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base as realBase } from 'viem/chains';
import { encodeInitializeAccount } from './initialize-account.js';
import { readWalletState } from './read-wallet-state.js';

// Without the block in which the real chain got its Multicall3.
const base = { ...realBase, contracts: { multicall3: { address: canonical.multicall3 } } };
const allowance = 20_000_000n;
const suite = suiteAddresses();
const contracts = {
  ...suite,
  usdc: canonical.usdc[base.id],
  entryPoint: canonical.entryPointV08,
  chainId: base.id,
};
const initCalldata = encodeInitializeAccount({ ...suite, token: contracts.usdc, allowance });
let anvil: Anvil;
// With the formatters of Base: the parameters of the libraries must take such a client too.
const createRpc = (transport: Transport) =>
  createPublicClient({ chain: base, transport, pollingInterval: 20 });
let rpc: ReturnType<typeof createRpc>;
let requests = 0;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: base.id });
  const transport = http(anvil.rpcUrl, { batch: true, onFetchRequest: () => void requests++ });
  rpc = createRpc(transport);
  const deployer = createWalletClient({ account: privateKeyToAccount(anvilKey(0)), chain: base, transport });
  await deploySuite(deployer, rpc);
  const inspected = await inspectSuite(rpc, suite);
  expect(inspected.every(({ status }) => status === 'ok')).toBe(true);
  await provisionLocalChain(rpc, base.id);
}, 60_000);
afterAll(() => anvil.stop());

/** A funded wallet that sends itself one transaction, delegating when told to. */
async function wallet(name: string, delegate: Address | undefined, data: Hex): Promise<Address> {
  const account = privateKeyToAccount(testKey(name));
  const client = createWalletClient({ account, chain: base, transport: http(anvil.rpcUrl) });
  await rpc.request({
    method: 'anvil_setBalance',
    params: [account.address, `0x${parseEther('1').toString(16)}`],
  } as never);
  const authorizationList = delegate
    ? [await client.signAuthorization({ contractAddress: delegate, executor: 'self' })]
    : undefined;
  const hash = await client.sendTransaction({
    to: account.address,
    data,
    gas: 1_000_000n,
    ...(authorizationList ? { authorizationList } : {}),
  });
  await rpc.waitForTransactionReceipt({ hash });
  return account.address;
}

describe('readWalletState', () => {
  it('default: configured, read in one round trip', async () => {
    const owner = await wallet('configured', suite.account, initCalldata);
    requests = 0;
    expect(await readWalletState(rpc, contracts, owner)).toEqual({
      kind: 'configured',
      implementation: suite.account,
      paymasterAllowance: allowance,
    });
    expect(requests).toBe(1);
  });

  it('behavior: undelegated, before and after anything is on the address', async () => {
    expect(await readWalletState(rpc, contracts, privateKeyToAccount(testKey('fresh')).address)).toEqual({
      kind: 'undelegated',
    });
    const used = await wallet('used', undefined, '0x');
    expect(await readWalletState(rpc, contracts, used)).toEqual({ kind: 'undelegated' });
  });

  it('behavior: a setup whose initialisation reverted leaves the delegation without modules', async () => {
    const noModule = '0x00000000000000000000000000000000000000ff';
    const broken = encodeInitializeAccount({
      ...suite,
      executor: noModule,
      token: contracts.usdc,
      allowance,
    });
    const owner = await wallet('broken', suite.account, broken);
    const missing = { kind: 'modules-missing', validatorInstalled: false, executorInstalled: false };
    expect(await readWalletState(rpc, contracts, owner)).toMatchObject(missing);

    await wallet('broken', undefined, initCalldata);
    expect((await readWalletState(rpc, contracts, owner)).kind).toBe('configured');
  });

  it('behavior: a foreign delegation', async () => {
    const owner = await wallet('foreign', suite.validator, '0x');
    expect(await readWalletState(rpc, contracts, owner)).toEqual({
      kind: 'foreign-delegation',
      implementation: suite.validator,
    });
  });

  it('behavior: at an earlier block', async () => {
    const blockNumber = await rpc.getBlockNumber({ cacheTime: 0 });
    const owner = await wallet('earlier', suite.account, initCalldata);
    expect((await readWalletState(rpc, contracts, owner, blockNumber)).kind).toBe('undelegated');
    expect((await readWalletState(rpc, contracts, owner)).kind).toBe('configured');
  });

  it('error: InvalidParametersError for a contract', async () => {
    await expect(readWalletState(rpc, contracts, contracts.usdc)).rejects.toThrow(InvalidParametersError);
  });
});
