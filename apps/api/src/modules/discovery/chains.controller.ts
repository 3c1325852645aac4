import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ActiveChains } from '@yield-vault/chains';
import type { Asset, ChainsResponse } from '@yield-vault/protocol';
import { ApiErrors, EmptyQueryGuard, OkResponse } from '@yield-vault/server';
import type { VaultDiscovery } from '@yield-vault/vault-discovery';
import { Limit } from '../../http/limit.decorator.js';
import { Parts } from '../../parts.js';
import { tokens } from '../../tokens.js';

@ApiTags('Discovery')
@Controller('v1/yield')
export class ChainsController {
  constructor(
    @Inject(tokens.chains) private readonly chains: ActiveChains,
    @Inject(tokens.discovery) private readonly discovery: VaultDiscovery,
    private readonly parts: Parts,
  ) {}

  @Get('chains')
  @UseGuards(EmptyQueryGuard)
  @Limit('status')
  @ApiOperation({
    summary: 'The active chains',
    description: 'Contracts, assets and lifetimes of each chain. Read it once.',
  })
  @OkResponse('ChainsResponse', { description: 'The chains.' })
  @ApiErrors('get', 'INVALID_PARAMETERS', 'DATA_STALE')
  listChains(): ChainsResponse {
    const chains = this.chains.all.map(
      ({ key, chainId, name, relayMode, entryPoint, usdc, contracts, confirmations }) => {
        const { account: implementation, validator, executor, paymaster, router } = contracts;
        return {
          chain: key,
          chainId,
          name,
          relayMode,
          assets: this.#assets(key),
          contracts: { entryPoint, implementation, validator, executor, paymaster, usdc, router },
          intentLifetimeSeconds: this.parts.settings.intents.expirySeconds,
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
