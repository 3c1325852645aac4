import { canonical, entryPointV08Abi, localContracts } from '@yield-vault/contracts';
import type { UserOperation } from '@yield-vault/protocol';
import { encodeAccountCall, encodeIntentSignature, nonceKey } from '@yield-vault/smart-account';
import { buildIntentEnvelope, signIntent, testAccount, testKey } from '@yield-vault/testing';
import { Wallet } from 'ethers';
import { toPackedUserOperation } from 'viem/account-abstraction';
import { startContractsChain, type ContractsChain } from '../../test/start-contracts-chain.js';
import { runCli } from '../../test/support/run-cli.js';
import type { AgentSigner } from '../sign/signer.js';
import { localAddressBook } from '../verify/address-book.js';
import { prepareIntentsRevocation, revokeIntents } from './revoke-intents.js';
import { TransactionInFlightError } from './price-transaction.js';

const options = { addressBook: localAddressBook };
const { account, validator } = localContracts;
const entryPoint = canonical.entryPointV08;
let chain: ContractsChain;

beforeAll(async () => {
  chain = await startContractsChain();
}, 60_000);
afterAll(() => chain.stop());

/** Delegate a wallet that pays in ether, and let it sign an intent. @returns a call that validates the operation */
async function signOperation(name: string) {
  await chain.send(name, { delegate: account });
  const sender = await chain.fund(name);
  const beneficiary = await chain.fund('beneficiary');
  const expiry = Number((await chain.rpc.getBlock()).timestamp) + 600;
  const operation: UserOperation = {
    sender,
    nonce: nonceKey(validator) << 64n,
    callData: encodeAccountCall([{ hook: 'approve-paymaster', amount: 5n }]),
    callGasLimit: 200_000n,
    verificationGasLimit: 200_000n,
    preVerificationGas: 50_000n,
    maxFeePerGas: 2_000_000_000n,
    maxPriorityFeePerGas: 1n,
    signature: '0x',
  };
  const { signing } = buildIntentEnvelope({ chainId: 8453, entryPoint, validator, expiry, operation });
  const signature = await signIntent(signing, testKey(name));
  const signed = {
    ...operation,
    signature: encodeIntentSignature({ expiry, validAfter: 0, signature, proof: [] }),
  };
  return () =>
    chain.rpc.simulateContract({
      account: beneficiary,
      address: entryPoint,
      abi: entryPointV08Abi,
      functionName: 'handleOps',
      args: [[toPackedUserOperation(signed)], beneficiary],
    });
}

describe('revokeIntents', () => {
  it.each<[string, (name: string) => AgentSigner]>([
    ['viem', testAccount],
    ['ethers', (name) => new Wallet(testKey(name))],
  ])('default: the signed operation no longer validates, revoked by %s', async (name, signerOf) => {
    const validate = await signOperation(name);
    await expect(validate()).resolves.toBeDefined();
    const { signedRawTx, ...revocation } = await revokeIntents(chain.rpc, signerOf(name), options);
    expect(revocation).toMatchObject({
      wallet: testAccount(name).address,
      nonceSequence: 0n,
      transaction: { type: 'eip1559', chainId: 8453, to: entryPoint, authorization: null },
      missingWei: 0n,
    });
    expect(await chain.sendRaw([signedRawTx])).toEqual(['success']);
    await expect(validate()).rejects.toThrow('AA25');
    const next = await prepareIntentsRevocation(chain.rpc, testAccount(name).address, options);
    expect(next.nonceSequence).toBe(1n);
  });

  it('behavior: says how much ether a wallet lacks', async () => {
    const { address } = testAccount('without ether');
    const none = await prepareIntentsRevocation(chain.rpc, address, options);
    expect(none.maxCostWei).toBeGreaterThan(0n);
    expect(none.missingWei).toBe(none.maxCostWei);
    await chain.setBalance(address, 1n);
    const { maxCostWei, missingWei } = await prepareIntentsRevocation(chain.rpc, address, options);
    expect(missingWei).toBe(maxCostWei - 1n);
  });

  it('error: TransactionInFlightError', async () => {
    const mine = await chain.stopMining();
    await chain.submit('busy', {});
    const failed = revokeIntents(chain.rpc, testAccount('busy'), options);
    await expect(failed).rejects.toThrow(TransactionInFlightError);
    await mine();
  });
});

describe('yield-vault-agent revoke-intents', () => {
  it('default: prints a transaction that ethers signs unchanged', async () => {
    const validate = await signOperation('by hand');
    const wallet = testAccount('by hand').address;
    const { code, out, notes } = await runCli(['revoke-intents', wallet, '--rpc', chain.rpcUrl, '--local']);
    expect(code).toBe(0);
    expect(notes).toContain(`nonce 0 and validator module ${validator}`);

    const { transaction } = JSON.parse(out) as { transaction: Record<string, string> };
    const { type: _, gas: gasLimit, authorization: __, ...fields } = transaction;
    const signed = await new Wallet(testKey('by hand')).signTransaction({ ...fields, gasLimit, type: 2 });
    expect(await chain.sendRaw([signed as `0x${string}`])).toEqual(['success']);
    await expect(validate()).rejects.toThrow('AA25');
  });
});
