import {
  type Address,
  type Hex,
  concatHex,
  encodeDeployData,
  encodeAbiParameters,
  getContractAddress,
  keccak256,
  toHex,
  zeroAddress,
} from 'viem';
import { chainFacts } from './chains/chains.js';
import type { ChainFacts } from './chains/chain-facts.js';
import { entryPointV08Bytecode } from './generated/EntryPointV08.js';
import { intentValidatorBytecode } from './generated/IntentValidator.js';
import { usdcPaymasterAbi, usdcPaymasterBytecode } from './generated/UsdcPaymaster.js';
import { yieldExecutorBytecode } from './generated/YieldExecutor.js';
import { yieldRouterBytecode } from './generated/YieldRouter.js';
import { yieldVaultAccountBytecode } from './generated/YieldVaultAccount.js';

/** Addresses of third-party contracts, equal on every chain. */
export const canonical = {
  entryPointV08: '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
  /** Arachnid's deterministic deployment proxy. */
  create2Deployer: '0x4e59b44847b379578588920cA78FbF26c0B4956C',
  multicall3: '0xcA11bde05977b3631167028862bE2a173976CA11',
} as const;

/**
 * What wallets delegate to and call: equal on every chain, for every operator and paymaster. Literals: a test recomputes
 * them, so a change of the Solidity sources cannot move an address unnoticed.
 */
export const walletContracts = {
  account: '0xb4389045AaCB96F0290A400f8b561EC830E25AA3',
  validator: '0xa7a891bE7f0b2913bA483b7356CF8dF130bC276D',
  executor: '0xA55Be3DFC33F552E808A3FAAC5126e447c13B68e',
  router: '0x4906734Fa5de0e9a795e17aE0a183e9b5E7cb42A',
} as const satisfies Record<string, Address>;

/** Addresses of one deployment of our contracts. */
export interface ContractAddresses {
  readonly account: Address;
  readonly validator: Address;
  readonly executor: Address;
  readonly router: Address;
  /** Ours or a third party's. */
  readonly paymaster: Address;
}

/** Who may change our paymaster. Its address depends on them and on the chain. */
export interface PaymasterRoles {
  readonly owner: Address;
  /** May stop the paymaster besides the owner; the owner by default. Another pauser moves the address too. */
  readonly pauser?: Address;
}

/** A contract that the Arachnid deployer can create. */
export interface Create2Deployment {
  readonly address: Address;
  readonly salt: Hex;
  /** Creation code, then the encoded constructor arguments. */
  readonly initCode: Hex;
}

/** First account of every Anvil and Hardhat node. Its key is public: never use it on a real chain. */
export const localPaymasterOwner: Address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

const contractSalt = /* @__PURE__ */ keccak256(/* @__PURE__ */ toHex('yieldvault.suite.3.0.0'));

function create2(initCode: Hex, salt: Hex): Create2Deployment {
  const address = getContractAddress({
    opcode: 'CREATE2',
    from: canonical.create2Deployer,
    salt,
    bytecode: initCode,
  });
  return { address, salt, initCode };
}

/** The deployment that puts EntryPoint v0.8 at its canonical address. */
// Without `@__PURE__`, build tools cannot drop the bytecode.
export const entryPointDeployment = /* @__PURE__ */ create2(
  entryPointV08Bytecode,
  '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9',
);

/** The deployments of {@link walletContracts}, in the order in which they can be made. */
export function walletDeployments(): Readonly<Record<keyof typeof walletContracts, Create2Deployment>> {
  const validator = create2(intentValidatorBytecode, contractSalt);
  const executor = create2(yieldExecutorBytecode, contractSalt);
  const modules = [canonical.entryPointV08, validator.address, executor.address] as const;
  const account = create2(withAddresses(yieldVaultAccountBytecode, modules), contractSalt);
  return { validator, executor, account, router: create2(yieldRouterBytecode, contractSalt) };
}

/** Append constructor arguments to creation code. */
function withAddresses(bytecode: Hex, addresses: readonly Address[]): Hex {
  const types = addresses.map(() => ({ type: 'address' }) as const);
  return concatHex([bytecode, encodeAbiParameters(types, addresses)]);
}

// A feed counts for longer than its published heartbeat, so that one late round does not stop the paymaster.
const lateRoundSeconds = 3_600;

/**
 * The deployment of our paymaster for a chain.
 *
 * @example
 * paymasterDeployment(chainFacts(8453), { owner: '0x…' }).address
 */
export function paymasterDeployment(
  { usdc, wrappedNative, sequencerFeed = zeroAddress, paymaster }: ChainFacts,
  { owner, pauser = owner }: PaymasterRoles,
): Create2Deployment {
  const initCode = encodeDeployData({
    abi: usdcPaymasterAbi,
    bytecode: usdcPaymasterBytecode,
    args: [
      walletContracts.account,
      {
        entryPoint: canonical.entryPointV08,
        usdc: usdc.address,
        nativeUsd: wrappedNative.price.feed,
        nativeUsdMaxAge: wrappedNative.price.heartbeatSeconds + lateRoundSeconds,
        leastNativeUsd: paymaster.nativeUsd.least,
        mostNativeUsd: paymaster.nativeUsd.most,
        usdcUsd: usdc.price.feed,
        usdcUsdMaxAge: usdc.price.heartbeatSeconds + lateRoundSeconds,
        sequencer: sequencerFeed,
        maxAge: paymaster.maxAgeSeconds,
        markupBps: paymaster.markupBps,
        operationCeiling: paymaster.operationCeiling,
        highestCeiling: paymaster.highestCeiling,
        owner,
        pauser,
      },
    ],
  });
  return create2(initCode, contractSalt);
}

/** The contracts of a chain with our paymaster. */
export function contractAddresses(chainId: number, roles: PaymasterRoles): ContractAddresses {
  return { ...walletContracts, paymaster: paymasterDeployment(chainFacts(chainId), roles).address };
}

/** The contracts of a local chain: the key of the paymaster's owner is public. */
export function localContracts(chainId: number): ContractAddresses {
  return contractAddresses(chainId, { owner: localPaymasterOwner });
}
