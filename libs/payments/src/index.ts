export { authorizeFacilitator } from './adapters/authorize-cdp.js';
export { createDatabasePaymentLedger } from './adapters/database-payment-ledger.js';
export {
  createEmbeddedFacilitator,
  type EmbeddedFacilitatorOptions,
} from './adapters/create-embedded-facilitator.js';
export {
  createRemoteFacilitator,
  type FacilitatorOperation,
  type RemoteFacilitatorOptions,
} from './adapters/create-remote-facilitator.js';
export { createMemoryFreeQuota, type FreeQuotaLimits } from './free-calls.js';
export {
  createPayments,
  type Payments,
  type PaymentsDependencies,
  type PaymentsOptions,
} from './payments.js';
export { inspectToken } from './inspect-token.js';
export type {
  Facilitator,
  FreeQuota,
  Inspection,
  LapsedPayment,
  LedgerLimits,
  NewPayment,
  PaymentReservation,
  PaymentKey,
  PaymentLease,
  PaymentLedger,
  PaymentRecord,
  PaymentsInFlight,
  SettlementOutcome,
} from './ports.js';
export type { ResourcePrice } from './price-resources.js';
export {
  paymentHeaders,
  paymentOutcomes,
  type Authorization,
  type BeginResult,
  type DescribeResource,
  type PaidResponse,
  type PaidRequest,
  type Payment,
  type PaymentChain,
  type PaymentChallenge,
  type PaymentHeader,
  type PaymentOutcome,
  type PaymentRequiredBody,
  type PaymentSession,
  type PaymentTerms,
  type PricedResource,
  type ResourceDiscovery,
  type SettleResult,
} from './types.js';
export { paymentsSchema } from './payments-schema.js';
export { sweepPayments } from './sweep-payments.js';
