import { knownChains } from '@yield-vault/contracts';
import { parseGwei } from 'viem';
import { verifySetup } from '../../src/index.js';
import { addressBook, localOn } from '../support/book.js';
import { clock, wallet } from '../support/build-prepared.js';
import { buildSetupResponse } from '../support/build-setup.js';

// Base fee and tip in gwei as they are on a quiet day. The node of Polygon suggests no tip below 25 gwei.
const quiet: Readonly<Record<string, readonly [base: string, tip: string]>> = {
  polygon: ['30', '30'],
  ethereum: ['2', '0.1'],
};

describe('the default limit of the fee of a setup', () => {
  it.each(knownChains.map(({ key, chainId }) => [key, chainId] as const))(
    'a setup on %s on a quiet day is accepted',
    (chain, chainId) => {
      const [base, tip] = quiet[chain] ?? ['0.01', '0.001'];
      // As prepare sets it: viem's fee is 1.2 times the base fee and the tip, and prepare doubles it.
      const maxFeePerGas = 2n * ((parseGwei(base) * 12n) / 10n + parseGwei(tip));
      const response = buildSetupResponse({
        deployment: localOn(chainId),
        setup: {
          gas: {
            gasLimit: '80000',
            maxFeePerGas: String(maxFeePerGas),
            maxPriorityFeePerGas: String(parseGwei(tip)),
          },
        },
      });
      expect(verifySetup(response, { wallet, chain }, { addressBook, ...clock })).toMatchObject({ ok: true });
    },
  );
});
