import type { ChainInfo, ChainsResponse } from '@yield-vault/protocol';
import { ApiSchema } from '@nestjs/swagger';
import { ApiAddress, ApiChoice, ApiInteger, ApiList, ApiObject, ApiText } from '@yield-vault/server';
import type { Address } from 'viem';
import { examples } from '../../openapi/examples.js';
import { AssetDto } from './vault-summary.dto.js';

@ApiSchema({ name: 'ChainContracts', description: 'Contracts that wallets of a chain use.' })
export class ChainContractsDto {
  @ApiAddress('Entry point of ERC-4337.', examples.entryPoint) readonly entryPoint!: Address;
  @ApiAddress('Implementation of the account.', examples.implementation) readonly implementation!: Address;
  @ApiAddress('Validator module.', examples.validator) readonly validator!: Address;
  @ApiAddress('Executor module.', examples.executor) readonly executor!: Address;
  @ApiAddress('Paymaster that takes USDC for gas.', examples.paymaster) readonly paymaster!: Address;
  @ApiAddress('USDC, in which gas is paid.', examples.usdc) readonly usdc!: Address;
}

@ApiSchema({ name: 'Chain', description: 'An active chain.' })
export class ChainDto implements ChainInfo {
  @ApiText('Chain key, as requests name it.', 'base') readonly chain!: string;
  @ApiInteger('Chain id.', 8453) readonly chainId!: number;
  @ApiText('Name of the chain.', 'Base') readonly name!: string;

  @ApiChoice(['managed-fork', 'chain'], 'Where wallets act: on a fork, or on the chain itself.', 'chain')
  readonly relayMode!: ChainInfo['relayMode'];

  @ApiList(() => AssetDto, 'Assets of the listed vaults, by symbol.') readonly assets!: readonly AssetDto[];

  @ApiObject(() => ChainContractsDto, 'Compare them with an address book of your own before you sign.')
  readonly contracts!: ChainContractsDto;

  @ApiInteger('How long a prepared intent can be executed, in seconds.', 600)
  readonly intentLifetimeSeconds!: number;

  @ApiInteger('Blocks on top of a result before it is final.', 1) readonly confirmations!: number;
}

@ApiSchema({ name: 'ChainsResponse', description: 'The active chains.' })
export class ChainsResponseDto implements ChainsResponse {
  @ApiList(() => ChainDto, 'In the order of the deployment.') readonly chains!: readonly ChainDto[];
}
