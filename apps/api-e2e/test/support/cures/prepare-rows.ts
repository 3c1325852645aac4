import { chainFacts } from '@yield-vault/contracts';
import { gaslessSetupPath, vaultIdOf, type PrepareSetupResponse } from '@yield-vault/protocol';
import { fundWallet } from '@yield-vault/devnet';
import { localVaults } from '@yield-vault/testing/local';
import { Wallet } from 'ethers';
import { createTestClient, http } from 'viem';
import { setBalance } from '../deal.js';
import { setUp, type FundedAgent } from '../funded-agent.js';
import { signGasless } from '../gasless-wallet.js';
import type { Place, Request, Row } from './types.js';

const baseVault = (kind: string, asset = 'USDC') => {
  const vault = localVaults[8453].find((each) => each.kind === kind && each.asset === asset)!;
  return vaultIdOf(8453, vault.address);
};

/** A deposit that this wallet can make. */
export const depositOf = ({ vault }: Place, agent: FundedAgent) => ({
  ...{ operation: 'deposit', chain: 'base', agentAddress: agent.address, vaultId: vault.vaultId },
  ...{ asset: 'USDC', amount: '1' },
});

const prepare = (place: Place, change: object, agent = place.agent): Request => ({
  ...{ agent, path: '/v1/yield/prepare', meant: depositOf(place, agent), wanted: depositOf(place, agent) },
  body: { ...depositOf(place, agent), ...change },
});
const deposit = (change: object) => (place: Place) => prepare(place, change);
/** A wallet of its own, set up, with 50 USDC. */
const ofPoor =
  (change: object, usdc?: bigint) =>
  async (place: Place): Promise<Request> => {
    const agent = await place.fresh();
    await setUp(place.api, agent, place.vault.vaultId);
    const { chainId, walletRpcUrl } = place.chains.base;
    if (usdc !== undefined)
      await setBalance(walletRpcUrl, chainFacts(chainId).usdc.address, agent.address, usdc);
    return prepare(place, change, agent);
  };
const redeem = (change: object) => ({ operation: 'redeem', asset: undefined, amount: undefined, ...change });
const balance = (name: string, make: Row['make']): Row => ({ code: 'INSUFFICIENT_BALANCE', name, make });
const suitable = (reason: string, name: string, make: Row['make']): Row => ({
  ...{ code: 'NO_SUITABLE_VAULTS', reason, name, make },
});

export const prepareRows: readonly Row[] = [
  { code: 'INVALID_PARAMETERS', name: 'several fields', make: deposit({ amount: 5, agentAddress: '0x1' }) },
  {
    code: 'INVALID_PARAMETERS',
    name: 'a percentage that rounds to no share',
    make: (place) => ({ ...prepare(place, redeem({ percentage: 1e-20 })), meant: { percentage: 50 } }),
  },
  {
    code: 'INVALID_PARAMETERS',
    name: 'a contract wallet',
    make: async (place) => {
      const agent = await place.fresh();
      const transport = http(place.chains.base.walletRpcUrl);
      await createTestClient({ mode: 'anvil', transport }).setCode({
        address: agent.address,
        bytecode: '0x60006000fd',
      });
      return { ...prepare(place, {}, agent), goal: { calls: expect.any(Array) as unknown[] } };
    },
  },
  { code: 'CHAIN_NOT_ACTIVE', name: 'an inactive chain', make: deposit({ chain: 'optimism' }) },
  {
    code: 'UNKNOWN_VAULT',
    name: 'a vault of another chain',
    make: async (place) => {
      const [best] = (await place.api.discover({ chain: 'ethereum', asset: 'USDC' })).vaults;
      const agent = await place.fresh();
      const funds = { ethWei: 10n ** 16n, usdc: 50_000_000n };
      await fundWallet(place.chains.ethereum, agent.address, funds);
      return prepare(place, { vaultId: best!.vaultId }, agent);
    },
  },
  { code: 'UNKNOWN_VAULT', name: 'a vault that nobody knows', make: deposit({ vaultId: '12' }) },
  { code: 'ASSET_MISMATCH', name: 'another asset', make: deposit({ asset: 'WETH' }) },
  {
    code: 'VAULT_AT_CAPACITY',
    name: 'more than a vault takes',
    make: deposit({ vaultId: baseVault('capped'), amount: '300' }),
  },
  balance('the whole balance', ofPoor({ amount: '50' })),
  balance(
    'a deposit of WETH',
    ofPoor({ vaultId: baseVault('steady', 'WETH'), asset: 'WETH', amount: '0.01' }),
  ),
  balance('no USDC at all', ofPoor({}, 0n)),
  balance('a redeem without a position', (place) =>
    prepare(place, redeem({ vaultId: baseVault('lossy'), percentage: 50 })),
  ),
  balance('a redeem of too many shares', (place) => prepare(place, redeem({ shares: '9'.repeat(40) }))),
  suitable('TINY_DEPOSIT', 'one base unit', deposit({ vaultId: baseVault('faster'), amount: '0.000001' })),
  suitable('ROUND_TRIP_LOSS', 'rounding', deposit({ vaultId: baseVault('zero-limit'), amount: '0.000001' })),
  suitable('capability:paused', 'a paused vault', deposit({ vaultId: baseVault('paused') })),
  suitable('ALREADY_BEST', 'a rebalance from the best vault', (place) => ({
    ...prepare(place, { operation: 'rebalance', asset: undefined, amount: undefined }),
    goal: { stays: true },
  })),
  {
    code: 'ALREADY_SET_UP',
    name: 'a gasless setup of a wallet that is set up',
    make: (place) => ({
      ...prepare(place, { operation: undefined }),
      path: gaslessSetupPath,
    }),
  },
  ...(['permit-valid', 'auth-list-valid'] as const).map((reason): Row => ({
    ...{ code: 'SETUP_TRANSACTION_REJECTED', reason, name: 'a gasless setup' },
    make: async (place) => {
      const agent = await place.fresh();
      const { operation: _, ...wanted } = depositOf(place, agent);
      const { gaslessSetup } = (await place.api.prepare(wanted)) as PrepareSetupResponse;
      const wallet = new Wallet(agent.privateKey);
      const isPermit = reason === 'permit-valid';
      const signed = await signGasless(
        { wallet, deposit: wanted },
        gaslessSetup!,
        isPermit ? {} : { nonce: 5 },
      );
      // Nobody needs a permit here.
      const body = isPermit ? { ...signed, permitSignature: `0x${'12'.repeat(64)}1b` } : signed;
      return { agent, wanted, path: gaslessSetupPath, body };
    },
  })),
];
