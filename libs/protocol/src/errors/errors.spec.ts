import * as protocol from '../index.js';
import { aaCodes, errorCatalogue, findAaCode, ServiceError, type ServiceErrorOptions } from '../index.js';

type ServiceErrorClass = new (options: ServiceErrorOptions) => ServiceError;

const classes = (Object.values(protocol) as unknown[]).filter(
  (value): value is ServiceErrorClass =>
    typeof value === 'function' && value.prototype instanceof ServiceError && value !== ServiceError,
);

describe('errors', () => {
  it('behavior: instanceof recognises the class of another copy of the package', async () => {
    await jest.isolateModulesAsync(async () => {
      const copy = await import('../index.js');
      const error = new copy.NotFoundError({ detail: 'Nothing.' });
      expect(Object.getPrototypeOf(error)).not.toBe(protocol.NotFoundError.prototype);
      expect(error instanceof protocol.NotFoundError && error instanceof ServiceError).toBe(true);
      expect((error as Error) instanceof protocol.InternalError).toBe(false);
    });
  });

  it('behavior: codes and sentences are frozen', () => {
    const sentences = Object.entries(errorCatalogue).map(([code, { error }]) => `${code}: ${error}`);
    expect(sentences).toMatchInlineSnapshot(`
      [
        "INVALID_PARAMETERS: Invalid request parameters",
        "CHAIN_NOT_ACTIVE: Chain is not active",
        "UNKNOWN_VAULT: Unknown vault",
        "ASSET_MISMATCH: Asset does not match the vault",
        "VAULT_AT_CAPACITY: Vault is at capacity",
        "DEPOSITS_PAUSED: Deposits are paused",
        "DEPOSIT_CAP_REACHED: Deposit cap is reached",
        "INSUFFICIENT_BALANCE: Insufficient balance",
        "NO_SUITABLE_VAULTS: No suitable vaults found",
        "PAYMENT_REQUIRED: Payment required",
        "SETUP_TICKET_REJECTED: Setup ticket rejected",
        "SETUP_TRANSACTION_REJECTED: Setup transaction rejected",
        "ALREADY_SET_UP: Wallet is already set up",
        "SETUP_TRANSACTION_REVERTED: Setup transaction reverted",
        "TRANSACTION_VALIDATION_FAILED: Transaction validation failed",
        "PREFLIGHT_SIMULATION_FAILED: Preflight simulation failed",
        "TRANSACTION_SUBMISSION_FAILED: Transaction submission failed",
        "TESTING_CAP_EXCEEDED: ethWei/usdcAmount exceeds testing cap",
        "UNAUTHORIZED: Unauthorized",
        "WALLET_NOT_ALLOWED: Wallet is not allowed",
        "FORKS_NOT_CONFIGURED: Test forks are not configured",
        "FORK_NOT_RUNNING: Fork is not running",
        "UPSTREAM_UNAVAILABLE: Service unavailable",
        "TRANSACTION_PENDING: Transaction is pending",
        "PAYMENT_IN_USE: Payment is in use",
        "BODY_TOO_LARGE: Request body too large",
        "UNSUPPORTED_MEDIA_TYPE: Unsupported media type",
        "DATA_STALE: Market data is stale",
        "FORK_CAPACITY: Fork capacity reached",
        "FUNDING_FAILED: Funding failed",
        "NOT_FOUND: Not found",
        "RATE_LIMIT_EXCEEDED: Rate limit exceeded",
        "INTERNAL: Internal error",
      ]
    `);
  });

  it.each(classes.map((each) => [each.name, each] as const))(
    'behavior: %s carries its code and sentence',
    (name, Class) => {
      const cause = new Error('below');
      const error = new Class({ detail: 'What happened.', cause });
      expect(error.name).toBe(name);
      expect(error.message).toBe(errorCatalogue[error.code].error);
      expect(error.retryable).toBe(errorCatalogue[error.code].retryable);
      expect(error.nextAction).toBe(errorCatalogue[error.code].nextAction);
      expect(error).toMatchObject({ detail: 'What happened.', details: {}, cause });
    },
  );

  it('behavior: one occurrence may know better', () => {
    const error = new protocol.TransactionSubmissionError({
      detail: 'x',
      retryable: true,
      nextAction: 'Wait.',
    });
    expect(error).toMatchObject({ retryable: true, nextAction: 'Wait.' });
  });
});

describe('findAaCode', () => {
  it.each([
    ['AA24 signature error', 'AA24'],
    ["validation: AA21 didn't pay prefund", 'AA21'],
    ['PostOpReverted(0x)', 'AA50'],
    ['reverted with 0xdeadaa51', 'AA51'],
    ['AA99 is not one', undefined],
    ['nothing', undefined],
    ['xAA24', undefined],
  ])('behavior: %s', (message, code) => {
    expect(findAaCode(message)).toBe(code);
  });

  it('behavior: each code says what to do next', () => {
    for (const { meaning, nextAction } of Object.values(aaCodes)) {
      expect(meaning.length).toBeGreaterThan(0);
      expect(nextAction).toMatch(/\.$/);
    }
  });
});
