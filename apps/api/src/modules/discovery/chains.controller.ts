import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Asset } from '@yield-vault/protocol';
import { ApiErrors, EmptyQueryGuard } from '@yield-vault/server';
import { Limit } from '../../http/limit.decorator.js';
import type { ChainFactsPort, DiscoveryPort } from '../../ports.js';
import type { ServerSettings } from '../../settings.js';
import { tokens } from '../../tokens.js';
import { ChainsResponseDto } from './chains.dto.js';

@ApiTags('Discovery')
@Controller('v1/yield')
export class ChainsController {
  constructor(
    @Inject(tokens.chains) private readonly chains: ChainFactsPort,
    @Inject(tokens.discovery) private readonly discovery: DiscoveryPort,
    @Inject(tokens.settings) private readonly settings: Pick<ServerSettings, 'intents'>,
  ) {}

  @Get('chains')
  @UseGuards(EmptyQueryGuard)
  @Limit('status')
  @ApiOperation({
    summary: 'The active chains',
    description: 'Contracts, assets and lifetimes of each chain. Read it once.',
  })
  @ApiOkResponse({ type: ChainsResponseDto, description: 'The chains.' })
  @ApiErrors('get', 'INVALID_PARAMETERS', 'DATA_STALE')
  listChains(): ChainsResponseDto {
    const chains = this.chains.all.map(
      ({ key, chainId, name, relayMode, entryPoint, usdc, contracts, confirmations }) => {
        const { account, validator, executor, paymaster } = contracts;
        return {
          ...{ chain: key, chainId, name, relayMode, assets: this.#assets(key) },
          contracts: { entryPoint, implementation: account, validator, executor, paymaster, usdc },
          intentLifetimeSeconds: this.settings.intents.expirySeconds,
          confirmations,
        };
      },
    );
    return { chains };
  }

  #assets(chain: string): Asset[] {
    const listed = this.discovery.list(chain).filter((vault) => vault.listed);
    const assets = new Map(listed.map(({ asset }) => [asset.address, asset]));
    return [...assets.values()].sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
  }
}
