import { canonical } from '@yield-vault/contracts';
import {
  concat,
  encodeDeployData,
  erc20Abi,
  erc4626Abi,
  getContractAddress,
  keccak256,
  stringToBytes,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type Hex,
} from 'viem';
import { localDifficultVaultAbi, localDifficultVaultBytecode } from '../generated/LocalDifficultVault.js';
import { localFeeTokenAbi, localFeeTokenBytecode } from '../generated/LocalFeeToken.js';
import { callAsOperator, createChainClient, sendAsOperator, type ContractCall } from './chain-client.js';
import { localAddresses, localOperator, type LocalChainId } from './local-chain.js';

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

  const deploy = async (name: string, bytecode: Hex): Promise<Address> => {
    const salt = keccak256(stringToBytes(name));
    const from = canonical.create2Deployer;
    const call = { to: from, data: concat([salt, bytecode]) };
    await sendAsOperator(client, call, `The deployment of ${name}`);
    return getContractAddress({ opcode: 'CREATE2', from, salt, bytecode });
  };
  // USDC is minted by the same call.
  const mint: DifficultVaults['mint'] = (token, to, amount) =>
    callAsOperator(client, {
      address: token,
      abi: localFeeTokenAbi,
      functionName: 'mint',
      args: [to, amount],
    });

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
    change: (address, functionName, args) =>
      callAsOperator(client, { address, abi: localDifficultVaultAbi, functionName, args } as ContractCall),
    deployFeeToken: (name) => deploy(name, localFeeTokenBytecode),
    setTransferFee: (address, feeBps) =>
      callAsOperator(client, { address, abi: localFeeTokenAbi, functionName: 'setFee', args: [feeBps] }),
    mint,
    async depositFor(vault, receiver, assets) {
      const to = { address: vault, abi: erc4626Abi } as const;
      const token = await client.readContract({ ...to, functionName: 'asset' });
      await mint(token, localOperator, assets);
      const approve = { abi: erc20Abi, functionName: 'approve', args: [vault, assets] };
      await callAsOperator(client, { address: token, ...approve });
      await callAsOperator(client, { ...to, functionName: 'deposit', args: [assets, receiver] });
    },
  };
}
