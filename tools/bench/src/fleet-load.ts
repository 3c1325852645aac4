import { setTimeout as pause } from 'node:timers/promises';
import { setUpWallet, type DevnetChain } from '@yield-vault/devnet';
import { encodeAccountCall, encodeGasGrant, nonceKey } from '@yield-vault/smart-account';
import { buildIntentEnvelope, signIntent } from '@yield-vault/testing';
import {
  createChainClient,
  localAddresses,
  localVaults,
  setLocalUsdcBalance,
} from '@yield-vault/testing/local';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { startBundlerDouble } from './bundler-double.js';

export type Bundler = Awaited<ReturnType<typeof startBundlerDouble>>;
export type Signer = ReturnType<typeof createSigner>;

/** Make a wallet that signs one deposit after the other. */
export function createSigner(chain: DevnetChain, bundler: Bundler) {
  const key = generatePrivateKey();
  const wallet = privateKeyToAccount(key);
  const { chainId, entryPoint, contracts, rpcUrl } = chain;
  const { validator, paymaster } = contracts;
  const token = localAddresses[chainId].usdc;
  const hook = { hook: 'deposit', vault: vaultOf(chain), token } as const;
  let nonce = nonceKey(validator) << 64n;
  return {
    bundler,
    setUp: async () => {
      const node = createChainClient(rpcUrl);
      await node.setBalance({ address: wallet.address, value: 10n ** 18n });
      await setLocalUsdcBalance(node, chainId, wallet.address, 10n ** 12n);
      await setUpWallet(chain, wallet);
    },
    /** Sign the next deposit, as prepare would return it. */
    sign: async () => {
      const operation = {
        sender: wallet.address,
        nonce: nonce++,
        callData: encodeAccountCall([{ ...hook, amount: 1_000_000n, minShares: 1n }]),
        paymaster,
        paymasterVerificationGasLimit: 100_000n,
        paymasterPostOpGasLimit: 40_000n,
        paymasterData: encodeGasGrant({ token, maximum: 50_000_000n }),
      } as const;
      const expiry = Math.floor(Date.now() / 1_000) + 500;
      const intentEnvelope = buildIntentEnvelope({ chainId, entryPoint, validator, expiry, operation });
      return { intentEnvelope, intentSignature: await signIntent(intentEnvelope.signing, key) };
    },
  };
}

export const vaultOf = ({ chainId }: DevnetChain): Address =>
  localVaults[chainId].find(({ kind, asset }) => kind === 'steady' && asset === 'USDC')!.address;

export async function send(url: string, body: unknown) {
  const response = await fetch(`${url}/v1/yield/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

/** Execute at a steady rate, each wallet one intent at a time. */
export async function drive(
  replicas: readonly string[],
  signers: readonly Signer[],
  rate: number,
  ms: number,
) {
  const calls: { readonly at: number; readonly own: number }[] = [];
  const faults: string[] = [];
  const idle = [...signers];
  const running = new Set<Promise<void>>();
  let [pending, late] = [0, 0];
  const start = performance.now();
  const execute = async (signer: Signer, url: string) => {
    const body = await signer.sign();
    const sent = performance.now();
    let { status, text } = await send(url, body);
    const isFirst = !text.includes('TRANSACTION_PENDING');
    if (!isFirst) pending++;
    while (text.includes('TRANSACTION_PENDING')) ({ status, text } = await send(url, body));
    const end = performance.now();
    if (status !== 200) return void faults.push(`${status} ${text.slice(0, 200)}`);
    idle.push(signer);
    const { userOpHash } = JSON.parse(text) as { userOpHash: Hex };
    const { sentAt, includedAt } = signer.bundler.seen.get(userOpHash)!;
    if (isFirst) calls.push({ at: sent - start, own: end - sent - (includedAt - sentAt) });
  };
  for (let count = 0; performance.now() - start < ms; count++) {
    await pause(Math.max(0, start + (count * 1_000) / rate - performance.now()));
    const signer = idle.shift();
    if (!signer) late++;
    else {
      const call = execute(signer, replicas[count % replicas.length]!).finally(() => running.delete(call));
      running.add(call);
    }
  }
  await Promise.all(running);
  return { calls, faults, pending, late };
}
