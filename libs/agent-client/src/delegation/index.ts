export {
  describeDelegation,
  requireKnownModules,
  UnknownChainError,
  type Delegation,
  type DelegationReport,
  type DelegationRpc,
  type DescribeOptions,
  type WalletModule,
} from './describe-delegation.js';
export {
  prepareRevocation,
  revokeDelegation,
  UnknownDelegationError,
  type Revocation,
  type RevocationRpc,
  type RevokeOptions,
} from './revoke-delegation.js';
export { TransactionInFlightError } from './price-transaction.js';
export {
  prepareIntentsRevocation,
  revokeIntents,
  type IntentsRevocation,
  type IntentsRevocationRpc,
} from './revoke-intents.js';
