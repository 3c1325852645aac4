import { Module, type DynamicModule } from '@nestjs/common';
import type { Deployment } from '@yield-vault/deployment';
import { TestingController } from './testing.controller.js';

/** The tools that mint on forks, where the deployment serves them. */
@Module({})
export class TestingModule {
  static with({ testing }: Pick<Deployment, 'testing'>): DynamicModule {
    return { module: TestingModule, controllers: testing.enabled ? [TestingController] : [] };
  }
}
