import { canonical } from '@yield-vault/contracts';
import {
  localAddresses,
  localFeeTokenAbi,
  localFeeTokenBytecode,
  localHazardVaultAbi,
  localHazardVaultBytecode,
  localOperator,
  type LocalChainId,
} from '@yield-vault/contracts/local';
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
import { createChainClient } from './steps/chain-client.js';
import { sendAsOperator } from './steps/send-as-operator.js';

type HazardVaultAbi = typeof localHazardVaultAbi;

/** The functions of a hazard vault that change it: `setFees`, `setPreviews` and so on. */
export type HazardSwitch = ContractFunctionName<HazardVaultAbi, 'nonpayable'>;

/** Vaults and tokens that harm whoever trusts them. Amounts are base units. */
export interface Hazards {
  /**
   * Deploy a vault none of whose hazards is switched on and in which nobody has deposited; no registry knows it.
   *
   * @param vault.name Unique on the chain: the address follows from it.
   * @param vault.asset USDC by default.
   * @param vault.decimalsOffset Decimals of a share beyond those of the asset; 0 by default.
   */
  deployVault(vault: {
    readonly name: string;
    readonly asset?: Address;
    readonly decimalsOffset?: number;
  }): Promise<Address>;
  /** Change a hazard vault; what its functions do is written in `LocalHazardVault.sol`. */
  change<Name extends HazardSwitch>(
    vault: Address,
    functionName: Name,
    args: ContractFunctionArgs<HazardVaultAbi, 'nonpayable', Name>,
  ): Promise<void>;
  /** Deploy a token that can take a fee of every transfer, and takes none yet; its address follows from the name. */
  deployFeeToken(name: string): Promise<Address>;
  setTransferFee(token: Address, feeBps: bigint): Promise<void>;
  /** Mint USDC or a fee token; to a vault it is a donation. */
  mint(token: Address, to: Address, amount: bigint): Promise<void>;
  /** Deposit newly minted assets into a vault for somebody, past the service. */
  depositFor(vault: Address, receiver: Address, assets: bigint): Promise<void>;
}

/**
 * Deploy hazards on a devnet chain, and switch them on.
 *
 * @example
 * const hazards = createHazards(devnet.chains[0]);
 * const vault = await hazards.deployVault({ name: 'Dear exit' });
 * await hazards.change(vault, 'setFees', [0n, 200n]); // leaving costs 2 %
 */
export function createHazards({
  rpcUrl,
  chainId,
}: {
  readonly rpcUrl: string;
  readonly chainId: LocalChainId;
}): Hazards {
  const client = createChainClient(rpcUrl);
  const send = (to: Address, data: Hex, purpose: string) => sendAsOperator(client, { to, data }, purpose);

  const deploy = async (name: string, bytecode: Hex): Promise<Address> => {
    const salt = keccak256(stringToBytes(name));
    const from = canonical.create2Deployer;
    await send(from, concat([salt, bytecode]), `The deployment of ${name}`);
    return getContractAddress({ opcode: 'CREATE2', from, salt, bytecode });
  };
  const mint: Hazards['mint'] = (token, to, amount) => {
    // USDC is minted by the same call.
    const call = { abi: localFeeTokenAbi, functionName: 'mint', args: [to, amount] } as const;
    return send(token, encodeFunctionData(call), `Minting for ${to}`);
  };

  return {
    deployVault: ({ name, asset = localAddresses[chainId].usdc, decimalsOffset = 0 }) =>
      deploy(
        name,
        encodeDeployData({
          abi: localHazardVaultAbi,
          bytecode: localHazardVaultBytecode,
          args: [asset, name, 'HAZ', decimalsOffset],
        }),
      ),
    change: (vault, functionName, args) => {
      const call = { abi: localHazardVaultAbi, functionName, args } as EncodeFunctionDataParameters;
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
