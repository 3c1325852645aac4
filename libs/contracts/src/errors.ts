import type { Address } from 'viem';

/** The chain lacks the deterministic deployment proxy that every CREATE2 address here is computed from. */
export class Create2DeployerMissingError extends Error {
  override readonly name = 'Create2DeployerMissingError';
  readonly code = 'CREATE2_DEPLOYER_MISSING';

  constructor(readonly address: Address) {
    super(`no deterministic deployment proxy at ${address}`);
  }
}

/** A deployment transaction was mined, and the contract is not where it has to be. */
export class SuiteDeploymentError extends Error {
  override readonly name = 'SuiteDeploymentError';
  readonly code = 'SUITE_DEPLOYMENT_FAILED';

  constructor(
    readonly contract: string,
    readonly address: Address,
  ) {
    super(`${contract} was not created at ${address}`);
  }
}

/** The suite knows the assets and feeds of Ethereum and Base only. */
export class UnsupportedChainError extends Error {
  override readonly name = 'UnsupportedChainError';
  readonly code = 'UNSUPPORTED_CHAIN';

  constructor(readonly chainId: number) {
    super(`the contract suite does not exist for chain ${chainId}`);
  }
}
