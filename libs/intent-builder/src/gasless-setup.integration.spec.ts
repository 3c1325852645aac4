import { yieldVaultAccountAbi, contractAddresses } from '@yield-vault/contracts';
import {
  AlreadySetUpError,
  eip7702Marker,
  InsufficientBalanceError,
  InvalidParametersError,
  SetupTransactionRejectedError,
  userOperationHash,
  fromWireUserOperation,
  type Eip7702Auth,
  type GaslessSetup,
  type GaslessSetupRequest,
  type PrepareRequest,
  type PrepareSetupResponse,
} from '@yield-vault/protocol';
import { decodeAccountCall, decodePermitData } from '@yield-vault/smart-account';
import { signIntent, testKey } from '@yield-vault/testing';
import { Wallet } from 'ethers';
import { createWalletClient, encodeFunctionData, erc20Abi, http, type Address, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { buildCatalogue, listLocalVault } from '../test/build-catalogue.js';
import { options } from '../test/build-request.js';
import {
  localVault,
  sendSetup,
  startLocalDeployment,
  submit,
  type LocalDeployment,
} from '../test/local-deployment.js';
import { createIntentBuilder } from './prepare.js';

const vault = listLocalVault(localVault('steady'));
const deposit = { chain: 'base', vaultId: vault.vaultId, asset: 'USDC', amount: '10' } as const;
let local: LocalDeployment;
const build = (overrides: Partial<typeof options> = {}) =>
  createIntentBuilder({
    chains: local.chains,
    vaults: buildCatalogue([vault]),
    options: { ...options, ...overrides },
  });

beforeAll(async () => {
  local = await startLocalDeployment();
}, 120_000);
afterAll(() => local.stop());

const key = (name: string): Hex => testKey(`gasless ${name}`);
const addressOf = (name: string): Address => privateKeyToAccount(key(name)).address;

async function setupOf(name: string, request: Partial<PrepareRequest> = {}): Promise<PrepareSetupResponse> {
  const prepared = await build().prepare({
    operation: 'deposit',
    ...deposit,
    agentAddress: addressOf(name),
    ...request,
  });
  if (!prepared.needsSetup) throw new Error('the wallet needs no setup');
  return prepared;
}
async function gaslessOf(name: string): Promise<GaslessSetup> {
  const { gaslessSetup } = await setupOf(name);
  if (!gaslessSetup) throw new Error('the wallet needs ether');
  return gaslessSetup;
}

type Signer = (
  name: string,
  setup: GaslessSetup,
) => Promise<Pick<GaslessSetupRequest, 'permitSignature' | 'authorization'>>;

const byViem: Signer = async (name, { authorization, permit }) => {
  const wallet = privateKeyToAccount(key(name));
  const { message } = permit;
  const permitSignature = await wallet.signTypedData({
    ...permit,
    message: {
      ...message,
      value: BigInt(message.value),
      nonce: BigInt(message.nonce),
      deadline: BigInt(message.deadline),
    },
  });
  if (!authorization) return { permitSignature };
  const { r, s, yParity } = await wallet.signAuthorization(authorization);
  const { contractAddress: address, chainId, nonce } = authorization;
  return { permitSignature, authorization: { address, chainId, nonce, r, s, yParity: yParity! } };
};

const byEthers: Signer = async (name, { authorization, permit }) => {
  const wallet = new Wallet(key(name));
  const types = { Permit: [...permit.types.Permit] };
  const permitSignature = (await wallet.signTypedData(permit.domain, types, permit.message)) as Hex;
  if (!authorization) return { permitSignature };
  const { contractAddress: address, chainId, nonce } = authorization;
  const { signature } = wallet.authorizeSync({ address, chainId, nonce });
  const { yParity } = signature;
  const [r, s] = [signature.r as Hex, signature.s as Hex];
  return { permitSignature, authorization: { address, chainId, nonce, r, s, yParity } };
};

const complete = (
  name: string,
  request: Pick<GaslessSetupRequest, 'permitSignature'> & Partial<GaslessSetupRequest>,
) => build().gaslessSetup({ ...deposit, agentAddress: addressOf(name), ...request });

const balance = (token: Address, owner: Address) =>
  local.chain.rpc.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });

describe('gaslessSetup', () => {
  it.each([
    ['viem', byViem],
    ['ethers', byEthers],
  ] as const)(
    'default: signed by %s, one operation delegates, permits and deposits',
    async (name, sign) => {
      const owner = addressOf(name);
      const { account, paymaster } = local.chain.contracts;
      await local.fundUsdc(owner, 50_000_000n);
      const setup = await gaslessOf(name);
      expect(setup).toMatchObject({
        authorization: { contractAddress: account, chainId: 8453, nonce: 0 },
        permit: { message: { owner, spender: paymaster, value: '100000000', nonce: '0' } },
        endpoint: '/v1/yield/gasless-setup',
      });
      const signed = await sign(name, setup);
      const { execution, intentId } = await complete(name, signed);
      const { intentEnvelope } = execution;
      const [{ userOperation, eip7702Auth }] = intentEnvelope.userOps as [(typeof intentEnvelope.userOps)[0]];
      expect(eip7702Auth).toEqual(signed.authorization);
      expect(userOperation.initCode).toBe(eip7702Marker);
      expect(intentId).toBe(intentEnvelope.merkleRoot);
      const operation = fromWireUserOperation(userOperation);
      expect(decodePermitData(operation.paymasterData!)).toMatchObject({ value: 100_000_000n });
      expect(decodeAccountCall(operation.callData)).toHaveLength(1);

      const receipt = await submit(
        local.chain,
        execution,
        await signIntent(intentEnvelope.signing, key(name)),
      );
      expect(receipt.success).toBe(true);
      expect(receipt.userOpHash).toBe(userOperationHash(operation, local.chain.entryPoint, 8453, account));
      expect(await balance(vault.vaultAddress, owner)).toBeGreaterThanOrEqual(
        BigInt(execution.slippage.minOut),
      );
      const gasPaid = 40_000_000n - (await balance(local.chain.usdc, owner));
      expect(gasPaid).toBeGreaterThan(0n);
      expect(gasPaid).toBeLessThanOrEqual(BigInt(execution.gasQuote.maxAmount));
      expect(await local.chain.rpc.getBalance({ address: owner })).toBe(0n);
      await expect(complete(name, signed)).rejects.toThrow(AlreadySetUpError);
      const next = await build().prepare({ operation: 'deposit', ...deposit, agentAddress: owner });
      expect(next.needsSetup).toBe(false);
    },
    60_000,
  );
});
