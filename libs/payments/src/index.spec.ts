import * as payments from './index.js';

it('public surface', () => {
  expect(Object.keys(payments).sort()).toMatchInlineSnapshot(`
    [
      "authorizeFacilitator",
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
