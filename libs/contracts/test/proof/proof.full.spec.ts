import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const sources = join(import.meta.dirname, '../../src');

/** How many assertions of each contract, as `Charge.Price`, the solver proved, of how many. */
async function prove(folder: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run.mjs'), '--source', folder, ...args]);
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  await new Promise((done) => child.on('close', done));
  return [...output.matchAll(/^(\S+): (\d+) of (\d+) proved/gm)].map(([, name, proved, wanted]) => ({
    name,
    isProved: proved === wanted,
  }));
}

const paymaster = 'paymaster/UsdcPaymaster.sol';
const account = 'account/YieldVaultAccount.sol';

describe('proofs of the arithmetic', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'proof-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('the charge covers the bill, and the account pays what the wallet signed, once', async () => {
    const proofs = await prove(sources);
    expect(proofs).toHaveLength(10);
    expect(proofs.filter(({ isProved }) => !isProved)).toEqual([]);
  }, 120_000);

  it.each([
    ['Charge.Gas', paymaster, 'limit / 10 : 0', 'limit / 11 : 0'],
    ['Charge.SecondRefund', paymaster, '_usdcFor(SECOND_REFUND_GAS', '_usdcFor(POST_OP_GAS'],
    ['Charge.Price', paymaster, '+ 1 ether - 1) / 1 ether', ') / 1 ether'],
    ['Charge.Prefund', paymaster, '_usdcFor(maxCost + ', '_usdcFor('],
    ['Grant.Validation', account, 'isAccepted ? uint256', 'true ? uint256'],
    ['Grant.Payment', account, 'amount > uint96(grant)', 'amount > uint128(grant)'],
  ])(
    '%s fails for broken code: %s %s',
    async (proof, file, code, broken) => {
      await cp(sources, folder, { recursive: true });
      const text = await readFile(join(folder, file), 'utf8');
      expect(text.split(code)).toHaveLength(2);
      await writeFile(join(folder, file), text.replace(code, broken));
      expect(await prove(folder, '--only', proof)).toEqual([{ name: proof, isProved: false }]);
    },
    120_000,
  );
});
