import type { PaymasterConfig } from '@yield-vault/chains';
import { localAddresses, localVaults, signLocalServicePaymaster } from '@yield-vault/testing/local';
import { openTestDatabase } from '@yield-vault/database/testing';
import type { DatabaseHandle } from '@yield-vault/database';
import type { DevnetGas } from '@yield-vault/devnet';
import {
  TransactionSubmissionError,
  type ExecuteRequest,
  type RankedVault,
  type UserOperation,
} from '@yield-vault/protocol';
import { encodeAccountCall, type ExecutorHook } from '@yield-vault/smart-account';
import { buildRankedVault, testAccount, testKey } from '@yield-vault/testing';
import { erc20Abi, getAddress, parseUnits, type Address } from 'viem';
import { buildIntent, chainId } from '../test/support/build-intent.js';
import { expectErrorOf } from '../test/support/outcomes.js';
import {
  depositOf,
  newWallet,
  readyOperation,
  redeemAll,
  startChain,
  type LocalBase,
} from '../test/support/start-chain.js';
import { createDatabaseIntentStore } from './adapters/database-intent-store.js';
import { createExecutionRelay } from './execution-relay.js';

jest.setTimeout(120_000);

const usdc = localAddresses[chainId].usdc;
const amount = parseUnits('25', 6);
const service = testAccount('paymaster service');
const steady = localVaults[chainId].find(({ kind, asset }) => kind === 'steady' && asset === 'USDC')!.address;

const free: PaymasterConfig = { kind: 'erc7677', url: 'http://127.0.0.1:1', context: {} };
const settings: readonly (readonly [string, DevnetGas, PaymasterConfig, isFree: boolean])[] = [
  ['Circle’s paymaster', { paymaster: 'circle' }, { kind: 'circle' }, false],
  ['the paymaster of a service', { paymaster: { service: service.address } }, free, true],
];

describe.each(settings)('%s, through a real bundler', (_, gas, paymaster, isFree) => {
  let base: LocalBase;
  let vault: RankedVault;
  let database: DatabaseHandle;
  beforeAll(async () => {
    base = await startChain(gas, paymaster);
    database = await openTestDatabase();
    const shareDecimals = await read(steady, 'decimals');
    vault = buildRankedVault({ vaultAddress: steady, shareDecimals: Number(shareDecimals) });
  });
  afterAll(async () => {
    await database.close();
    await base.stop();
  });

  const read = (token: Address, functionName: 'decimals' | 'balanceOf', ...args: [] | [Address]) =>
    base.chain.rpc.readContract({
      address: token,
      abi: erc20Abi,
      functionName,
      args,
    } as never) as Promise<bigint>;

  function startRelay() {
    return createExecutionRelay({
      chains: { keys: ['base'], findById: (id) => (id === chainId ? base.chain : undefined) },
      store: createDatabaseIntentStore(database),
      vaults: {
        byAddress: (_key, address) => (getAddress(address) === vault.vaultAddress ? vault : undefined),
      },
      options: { waitSeconds: 20, lifetimeSeconds: 600 },
    });
  }

  async function sign(
    name: string,
    hook: ExecutorHook,
    overrides: Partial<UserOperation> = {},
  ): Promise<ExecuteRequest> {
    const { contracts } = base.chain;
    const operation: UserOperation = {
      ...(await readyOperation(base, testAccount(name).address)),
      callData: encodeAccountCall([hook]),
      paymaster: contracts.paymaster,
      paymasterVerificationGasLimit: 150_000n,
      paymasterPostOpGasLimit: 40_000n,
      paymasterData: '0x',
      signature: '0x',
      ...overrides,
    };
    const approval = { chainId, paymaster: contracts.paymaster, validUntil: 4_000_000_000 };
    const paymasterData = isFree ? await signLocalServicePaymaster(service, operation, approval) : '0x';
    return buildIntent({ key: testKey(name), operation: { ...operation, paymasterData } });
  }

  const deposit = () => depositOf(steady, amount);

  it('default: set up, deposit, redeem', async () => {
    const wallet = await newWallet(base, 'flow', parseUnits('100', 6));
    const relay = startRelay();
    const before = await read(usdc, 'balanceOf', wallet.address);
    const request = await sign('flow', deposit());
    const executed = await relay.execute(request);
    expect(executed).toMatchObject({ result: 'executed', receipt: { status: 'success' } });
    expect(executed.positionUpdate.assetsDelta).toBe('25');
    const paid = before - amount - (await read(usdc, 'balanceOf', wallet.address));
    expect(parseUnits(executed.positionUpdate.gasPaid.amount, 6)).toBe(paid);
    expect(paid > 0n).toBe(!isFree);

    const redeemed = await relay.execute(await sign('flow', redeemAll(steady)));
    expect(redeemed.positionUpdate.sharesDelta).toBe(`-${executed.positionUpdate.sharesDelta}`);
    expect(await read(vault.vaultAddress, 'balanceOf', wallet.address)).toBe(0n);
  });

  it('error: AA50, final, when the paymaster runs out of gas after the operation; Circle’s refuses that before', async () => {
    await newWallet(base, 'starved', parseUnits('100', 6));
    const request = await sign('starved', deposit(), { paymasterPostOpGasLimit: 5_000n });
    await expectErrorOf(TransactionSubmissionError, startRelay().execute(request), {
      details: { aaCode: gas.paymaster === 'circle' ? 'AA33' : 'AA50' },
    });
    expect(await read(vault.vaultAddress, 'balanceOf', testAccount('starved').address)).toBe(0n);
  });
});
