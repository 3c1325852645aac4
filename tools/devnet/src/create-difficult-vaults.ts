import { canonical } from '@yield-vault/contracts';
import {
  localAddresses,
  localFeeTokenAbi,
  localFeeTokenBytecode,
  localDifficultVaultAbi,
  localDifficultVaultBytecode,
  localOperator,
  type LocalChainId,
} from '@yield-vault/testing/local';
import {
  concat,
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  erc4626Abi,
  getContractAddress,
  keccak256,
  stringToBytes,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type EncodeFunctionDataParameters,
  type Hex,
} from 'viem';
import { createChainClient, sendAsOperator } from './steps/chain-client.js';

type DifficultVaultAbi = typeof localDifficultVaultAbi;

/** The functions that change a difficult vault: `setFees`, `setPreviews` and others. */
export type VaultSwitch = ContractFunctionName<DifficultVaultAbi, 'nonpayable'>;

/** Deploys and changes vaults and tokens that misbehave. Amounts are base units. */
export interface DifficultVaults {
  /**
   * Deploy an empty vault that behaves well until a switch is set. No registry lists it.
   *
   * @param vault.name Unique on the chain: the address follows from it.
   * @param vault.asset USDC by default.
   * @param vault.decimalsOffset Decimals of a share minus decimals of the asset; 0 by default.
   */
  deployVault(vault: {
    readonly name: string;
    readonly asset?: Address;
    readonly decimalsOffset?: number;
  }): Promise<Address>;
  /** Set a switch of a vault. `LocalDifficultVault.sol` documents each. */
  change<Name extends VaultSwitch>(
    vault: Address,
    functionName: Name,
    args: ContractFunctionArgs<DifficultVaultAbi, 'nonpayable', Name>,
  ): Promise<void>;
  /** Deploy a token with a transfer fee, 0 at first. Its address follows from the name. */
  deployFeeToken(name: string): Promise<Address>;
  setTransferFee(token: Address, feeBps: bigint): Promise<void>;
  /** Mint USDC or a fee token; to a vault it is a donation. */
  mint(token: Address, to: Address, amount: bigint): Promise<void>;
  /** Deposit newly minted assets into a vault for a receiver, without the service. */
  depositFor(vault: Address, receiver: Address, assets: bigint): Promise<void>;
}

/**
 * Create difficult vaults and tokens on a devnet chain.
 *
 * @example
 * const vaults = createDifficultVaults(devnet.chains[0]);
 * const vault = await vaults.deployVault({ name: 'Expensive exit' });
 * await vaults.change(vault, 'setFees', [0n, 200n]); // a redeem costs 2 %
 */
export function createDifficultVaults({
  rpcUrl,
  chainId,
}: {
  readonly rpcUrl: string;
  readonly chainId: LocalChainId;
}): DifficultVaults {
  const client = createChainClient(rpcUrl);
  const send = (to: Address, data: Hex, purpose: string) => sendAsOperator(client, { to, data }, purpose);

  const deploy = async (name: string, bytecode: Hex): Promise<Address> => {
    const salt = keccak256(stringToBytes(name));
    const from = canonical.create2Deployer;
    await send(from, concat([salt, bytecode]), `The deployment of ${name}`);
    return getContractAddress({ opcode: 'CREATE2', from, salt, bytecode });
  };
  const mint: DifficultVaults['mint'] = (token, to, amount) => {
    // USDC is minted by the same call.
    const call = { abi: localFeeTokenAbi, functionName: 'mint', args: [to, amount] } as const;
    return send(token, encodeFunctionData(call), `Minting for ${to}`);
  };

  return {
    deployVault: ({ name, asset = localAddresses[chainId].usdc, decimalsOffset = 0 }) =>
      deploy(
        name,
        encodeDeployData({
          abi: localDifficultVaultAbi,
          bytecode: localDifficultVaultBytecode,
          args: [asset, name, 'HAZ', decimalsOffset],
        }),
      ),
    change: (vault, functionName, args) => {
      const call = { abi: localDifficultVaultAbi, functionName, args } as EncodeFunctionDataParameters;
      return send(vault, encodeFunctionData(call), `${functionName} of ${vault}`);
    },
    deployFeeToken: (name) => deploy(name, localFeeTokenBytecode),
    setTransferFee: (token, feeBps) => {
      const call = { abi: localFeeTokenAbi, functionName: 'setFee', args: [feeBps] } as const;
      return send(token, encodeFunctionData(call), `The fee of ${token}`);
    },
    mint,
    async depositFor(vault, receiver, assets) {
      const token = await client.readContract({ address: vault, abi: erc4626Abi, functionName: 'asset' });
      await mint(token, localOperator, assets);
      const approve = { abi: erc20Abi, functionName: 'approve', args: [vault, assets] } as const;
      await send(token, encodeFunctionData(approve), 'An approval');
      const deposit = { abi: erc4626Abi, functionName: 'deposit', args: [assets, receiver] } as const;
      await send(vault, encodeFunctionData(deposit), `A deposit for ${receiver}`);
    },
  };
}
