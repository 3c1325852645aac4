import * as payments from './index.js';

it('public surface', () => {
  expect(Object.keys(payments).sort()).toMatchInlineSnapshot(`
    [
      "createDatabasePaymentLedger",
      "createEmbeddedFacilitator",
      "createMemoryFreeQuota",
      "createPayments",
      "createRemoteFacilitator",
      "inspectToken",
      "paymentHeaders",
      "paymentOutcomes",
      "paymentsSchema",
      "sweepPayments",
    ]
  `);
});
