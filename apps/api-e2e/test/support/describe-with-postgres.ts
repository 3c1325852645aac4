import { isPostgresReachable, testPostgresUrl } from '@yield-vault/database/testing';

/** Describe tests that need PostgreSQL; where it does not run, a single test says so. */
export function describeWithPostgres(name: string, declareTests: () => void): void {
  if (isPostgresReachable()) {
    describe(name, declareTests);
    return;
  }
  it(`${name}: needs PostgreSQL, which does not run here`, () => {
    process.stderr.write(`PostgreSQL is not reachable at ${testPostgresUrl}: ${name} is not tested.\n`);
    expect(isPostgresReachable()).toBe(false);
  });
}
