import { canonical, chainFacts, entryPointV08Abi, localContracts } from '@yield-vault/contracts';
import type { UserOperation } from '@yield-vault/protocol';
import { encodeAccountCall, encodeIntentSignature, nonceKey } from '@yield-vault/smart-account';
import { buildIntentEnvelope, signIntent, testAccount, testKey } from '@yield-vault/testing';
import { toPackedUserOperation } from 'viem/account-abstraction';
import { startContractsChain, type ContractsChain } from '../../test/start-contracts-chain.js';
import { toJson } from '../cli/io.js';
import { runCli } from '../../test/support/run-cli.js';
import { localAddressBook } from '../verify/address-book.js';
import { prepareIntentsRevocation, revokeIntents } from './revoke-intents.js';

const options = { addressBook: localAddressBook };
const { account, validator } = localContracts(8453);
const entryPoint = canonical.entryPointV08;
const usdc = chainFacts(8453).usdc.address;
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
    callData: encodeAccountCall([{ hook: 'approve', spender: account, token: usdc, amount: 5n }]),
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
  it('default: the signed operation no longer validates', async () => {
    const validate = await signOperation('signer');
    await expect(validate()).resolves.toBeDefined();
    const { signedRawTx, ...revocation } = await revokeIntents(chain.rpc, testAccount('signer'), options);
    expect(revocation).toMatchObject({
      wallet: testAccount('signer').address,
      nonceSequence: 0n,
      transaction: { type: 'eip1559', chainId: 8453, to: entryPoint, authorization: null },
      missingWei: 0n,
    });
    expect(await chain.sendRaw([signedRawTx])).toEqual(['success']);
    await expect(validate()).rejects.toThrow('AA25');
    const next = await prepareIntentsRevocation(chain.rpc, testAccount('signer').address, options);
    expect(next.nonceSequence).toBe(1n);
  });
});

it('yield-vault-agent revoke-intents: prints the transaction to sign', async () => {
  const { address } = testAccount('by hand');
  const { code, out, notes } = await runCli(['revoke-intents', address, '--rpc', chain.rpcUrl, '--local']);
  expect(code).toBe(0);
  expect(notes).toContain(`nonce 0 and validator module ${validator}`);
  const { transaction } = await prepareIntentsRevocation(chain.rpc, address, options);
  expect(JSON.parse(out)).toMatchObject({ transaction: JSON.parse(toJson(transaction)) as object });
});
