import type { ListedVault } from '@yield-vault/protocol';

type Decimals = Pick<ListedVault, 'asset' | 'shareDecimals'>;

// As the catalogue samples it: a price of one whole share has too few digits.
const extraDecimals = 6;

/** How many base units of shares to ask the price of. */
export const sharePriceProbe = ({ shareDecimals }: Pick<Decimals, 'shareDecimals'>): bigint =>
  10n ** BigInt(shareDecimals + extraDecimals);

/** Whole assets for one whole share, by what so many shares are worth. */
export const sharePriceOf = ({ asset }: Pick<Decimals, 'asset'>, worth: bigint): number =>
  Number(worth) / 10 ** (asset.decimals + extraDecimals);
