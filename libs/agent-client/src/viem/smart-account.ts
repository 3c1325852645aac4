import { entryPointV08Abi } from '@yield-vault/contracts';
import {
  intentLeafHash,
  intentSigning,
  sameHex,
  userOperationHash,
  type UserOperation,
} from '@yield-vault/protocol';
import {
  delegationCode,
  encodeIntentSignature,
  encodeWalletCalls,
  nonceKey,
  stubIntentSignature,
} from '@yield-vault/smart-account';
import type { Hex, PrivateKeyAccount } from 'viem';
import {
  toSmartAccount,
  type SmartAccountImplementation,
  type ToSmartAccountReturnType,
} from 'viem/account-abstraction';
import { deploymentsOn, requireKnownModules } from '../delegation/describe-delegation.js';
import { openNode } from '../flow/open-node.js';
import { accountOf, type AgentSigner } from '../sign/signer.js';
import { agentAddressBook, type AddressBook } from '../verify/address-book.js';
import { mergeGasLimits } from '../verify/gas-limits.js';
import { accepted, VerificationError } from '../verify/result.js';
import { verifyOwnOperation } from './verify-own-operation.js';

// Bundlers estimate without fees, and so without the transfer of ether to the entry point, which needs up to 35k of this.
const prefundedGas = 90_000n;

/** Parameters of `toYieldVaultSmartAccount`. */
export interface YieldVaultSmartAccountParameters {
  /** Reads the chain of the account. */
  readonly client: SmartAccountImplementation['client'];
  /** Holds the key of the wallet, which is the address of the account. */
  readonly owner: AgentSigner;
  /** Trusted addresses; the shipped book by default. */
  readonly addressBook?: AddressBook;
  /** How long a signed operation can be included; 600 by default. */
  readonly lifetimeSeconds?: number;
  /** Most wei that the gas of an operation without a paymaster may cost, because the bundler chooses the gas that it earns; 10^16 (0.01 ether) by default. */
  readonly maxFeeWei?: bigint;
  /** Most base units of USDC that an operation may grant to the paymaster of the address book; by default the limit of the deployment. */
  readonly maxGasUsdc?: bigint;
}

/** A wallet that delegates to our account, as a smart account of viem. */
export type YieldVaultSmartAccount = ToSmartAccountReturnType<
  SmartAccountImplementation<typeof entryPointV08Abi, '0.8', object, true>
>;

/**
 * Make a smart account of viem out of a wallet that delegates to our account by EIP-7702. It signs any calls, and verifies
 * none of them. Its operations share the nonces of the intents of the wallet, so each is included after the one before it.
 *
 * @returns the account; a wallet that is not delegated needs `authorization` in its first operation
 * @throws {UnknownChainError} when the address book has no deployment on the chain of the client
 * @throws {UnsupportedSignerError} when the owner cannot sign typed data
 * @throws {NodeFailedError} when the client fails
 * @throws {VerificationError} for an operation: `DELEGATION_MISMATCH` when the wallet delegates to other code,
 *   `GAS_TOO_EXPENSIVE` above `maxFeeWei`, `PAYMASTER_DATA_NOT_ALLOWED` for another grant of USDC, `NONCE_MISMATCH` for any but
 *   the next nonce, `CALLDATA_NOT_ALLOWED` for any but its `calls`, `MALFORMED` for a field of another type
 * @throws {UnknownModulesError} for the first operation, when the delegation would activate unknown modules
 * @example
 * const account = await toYieldVaultSmartAccount({ client, owner });
 * const bundler = createBundlerClient({ account, client, transport: http(bundlerUrl) });
 * const authorization = await signAuthorization(client, account.authorization);
 * await bundler.sendUserOperation({ calls, authorization });
 */
export async function toYieldVaultSmartAccount({
  client,
  owner,
  addressBook = agentAddressBook,
  lifetimeSeconds = 600,
  maxFeeWei = 10n ** 16n,
  maxGasUsdc,
}: YieldVaultSmartAccountParameters): Promise<YieldVaultSmartAccount> {
  const node = openNode(client);
  const [signer, chainId] = await Promise.all([accountOf(owner), node.getChainId()]);
  const { address } = signer;
  const deployments = deploymentsOn(addressBook, chainId);
  const [deployment] = deployments;
  const { account: implementation, entryPoint, validator } = deployment;
  const limits = { deployments, maxFeeWei, ...mergeGasLimits(deployment, { maxGasUsdc }) };
  let encoded: Hex | undefined;
  const getNonce = () =>
    node.readContract({
      address: entryPoint,
      abi: entryPointV08Abi,
      functionName: 'getNonce',
      args: [address, nonceKey(validator)],
    });
  const window = () => ({ expiry: Math.floor(Date.now() / 1_000) + lifetimeSeconds, validAfter: 0 });

  const account = await toSmartAccount({
    client,
    entryPoint: { abi: entryPointV08Abi, address: entryPoint, version: '0.8' },
    authorization: { account: signer as PrivateKeyAccount, address: implementation },
    getAddress: () => Promise.resolve(address),
    getFactoryArgs: () => Promise.resolve({ factory: '0x7702', factoryData: '0x' }),
    encodeCalls: (calls) => {
      encoded = encodeWalletCalls(calls);
      return Promise.resolve(encoded);
    },
    getStubSignature: () => Promise.resolve(stubIntentSignature(window().expiry, 0)),
    userOperation: {
      estimateGas: ({ paymaster }) =>
        Promise.resolve(paymaster ? undefined : { verificationGasLimit: prefundedGas }),
    },
    // The account takes the key's own signatures for ERC-1271.
    signMessage: (parameters) => signer.signMessage(parameters),
    signTypedData: (document) => signer.signTypedData(document),
    async signUserOperation(parameters) {
      const operation = { ...parameters, sender: address } as UserOperation;
      accepted(verifyOwnOperation(operation, { ...limits, nonce: await getNonce(), callData: encoded }));
      const userOpHash = userOperationHash(operation, entryPoint, chainId, implementation);
      const terms = { ...window(), validator };
      const merkleRoot = intentLeafHash({ ...terms, userOpHash });
      const signing = intentSigning({ ...terms, merkleRoot, chainId });
      const signature = await signer.signTypedData(signing);
      return encodeIntentSignature({ ...terms, signature, proof: [] });
    },
  } satisfies SmartAccountImplementation<typeof entryPointV08Abi, '0.8', object, true>);

  return Object.assign(account, {
    getNonce,
    async isDeployed() {
      const code = (await node.getCode({ address })) ?? '0x';
      if (sameHex(code, delegationCode(implementation))) return true;
      if (code === '0x') await requireKnownModules(node, address, { addressBook });
      else
        throw new VerificationError({
          ok: false,
          reason: 'DELEGATION_MISMATCH',
          field: 'owner',
          detail: `The code of ${address} is ${code}. Revoke that delegation first.`,
        });
      return false;
    },
  });
}
