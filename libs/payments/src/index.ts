export { createDatabasePaymentLedger } from './adapters/database-payment-ledger.js';
export { createMemoryFreeQuota, type FreeQuotaLimits } from './adapters/memory-free-quota.js';
export { createMemoryPaymentLedger, type MemoryLedgerLimits } from './adapters/memory-payment-ledger.js';
export { PaymentSetupError } from './errors.js';
export {
  createEmbeddedFacilitator,
  type EmbeddedFacilitatorOptions,
} from './facilitators/create-embedded-facilitator.js';
export {
  createRemoteFacilitator,
  type FacilitatorOperation,
  type RemoteFacilitatorOptions,
} from './facilitators/create-remote-facilitator.js';
export {
  createPayments,
  type Payments,
  type PaymentsDependencies,
  type PaymentsOptions,
} from './payments.js';
export type {
  Facilitator,
  FreeQuota,
  Inspection,
  LedgerLimits,
  NewPayment,
  PaymentChain,
  PaymentClaim,
  PaymentKey,
  PaymentLease,
  PaymentLedger,
  PaymentRecord,
  SettlementOutcome,
} from './ports.js';
export type { PriceDescription } from './steps/describe-prices.js';
export type { ResourcePrice } from './steps/price-resources.js';
export {
  paymentHeaders,
  type Authorization,
  type PaidAnswer,
  type PaidRequest,
  type Payment,
  type PaymentChallenge,
  type PaymentHeader,
  type PaymentRequiredBody,
  type PaymentSession,
  type PaymentTerms,
  type PaymentVerdict,
  type PricedResource,
  type SettlementVerdict,
} from './types.js';
