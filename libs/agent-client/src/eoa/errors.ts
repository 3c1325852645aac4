import type { Address } from 'viem';

/** The address book has no deployment on the chain that the node serves. */
export class UnknownChainError extends Error {
  override readonly name = 'UnknownChainError';
  readonly code = 'UNKNOWN_CHAIN';

  constructor(readonly chainId: number) {
    super(`The address book knows nothing of chain ${chainId}`);
  }
}

/** The node gave no usable answer. The message names neither its URL nor what was asked. */
export class NodeFailedError extends Error {
  override readonly name = 'NodeFailedError';
  readonly code = 'NODE_FAILED';

  constructor(reason: string, cause: unknown) {
    super(`The node gave no usable answer: ${reason}`, { cause });
  }
}

/** A transaction of the wallet waits for a block; whatever is signed now might get its nonce wrong. */
export class TransactionInFlightError extends Error {
  override readonly name = 'TransactionInFlightError';
  readonly code = 'TRANSACTION_IN_FLIGHT';

  constructor() {
    super('A transaction of the wallet is not in a block yet; try again once it is');
  }
}

/** A step of an un-setup would revert, because a module or a token does not let go. */
export class UnsetupRefusedError extends Error {
  override readonly name = 'UnsetupRefusedError';
  readonly code = 'UNSETUP_REFUSED';

  constructor(
    /** Decoded revert reason. */
    readonly reason: string,
    cause?: unknown,
  ) {
    super(`The un-setup would revert: ${reason}`, { cause });
  }
}

/** The wallet's storage holds modules that nobody vouches for; they would count as soon as it is set up. */
export class UnknownModulesError extends Error {
  override readonly name = 'UnknownModulesError';
  readonly code = 'UNKNOWN_MODULES';

  constructor(
    /** Those that are not in the address book; none when there are more than can be read. */
    readonly modules: readonly Address[],
  ) {
    super(
      `Modules that the address book does not have would come with a setup: ${modules.join(', ') || 'too many'}`,
    );
  }
}
