import type { Address } from 'viem';

/** The chain lacks the deterministic deployment proxy, from which every CREATE2 address here is computed. */
export class Create2DeployerMissingError extends Error {
  override readonly name = 'Create2DeployerMissingError';
  readonly code = 'CREATE2_DEPLOYER_MISSING';

  constructor(readonly address: Address) {
    super(`The chain has no deterministic deployment proxy at ${address}. Deploy it first.`);
  }
}

/** A deployment transaction was mined, but its contract is missing. */
export class ContractDeploymentError extends Error {
  override readonly name = 'ContractDeploymentError';
  readonly code = 'CONTRACT_DEPLOYMENT_FAILED';

  constructor(
    readonly contract: string,
    readonly address: Address,
  ) {
    super(`The deployment of ${contract} left no code at ${address}.`);
  }
}

/** This project has no facts about the chain. */
export class UnsupportedChainError extends Error {
  override readonly name = 'UnsupportedChainError';
  readonly code = 'UNSUPPORTED_CHAIN';

  constructor(readonly chainId: number) {
    super(`Chain ${chainId} is unknown. Add a file for it to the folder chains of @yield-vault/contracts.`);
  }
}

/** The key of an owner or a pauser is public, and the chain is not a local one. */
export class KnownKeyError extends Error {
  override readonly name = 'KnownKeyError';
  readonly code = 'KNOWN_KEY';

  constructor(
    readonly role: 'owner' | 'pauser',
    readonly address: Address,
  ) {
    super(
      `The key of ${address} is public, so anybody could act as ${role} of the paymaster. Give another ${role}, e.g. a Safe.`,
    );
  }
}
