import type { PublicClient } from 'viem';
import {
  type CheckedEntry,
  createContractReader,
  type RegistryEntry,
  toTracked,
  type VaultFacts,
} from '@yield-vault/vault-discovery';

/** Read the facts of vaults from their contracts. An unknown admin is left out. */
export async function readChainFacts(
  rpc: PublicClient,
  vaults: readonly CheckedEntry[],
): Promise<ReadonlyMap<RegistryEntry, VaultFacts>> {
  const [first] = vaults;
  if (!first) return new Map();
  const read = createContractReader({ chain: { chainId: first.entry.chainId, rpc } });
  const found = await read(vaults.map(toTracked), await rpc.getBlockNumber(), new AbortController().signal);
  return new Map(
    found.map(({ vault, words, governance: { admin, timelockSeconds } }) => [
      vaults[vault]!.entry,
      {
        ...words,
        ...(admin && { admin }),
        ...(timelockSeconds !== null && { timelockSeconds }),
      },
    ]),
  );
}

/** List the facts of an entry that its contracts contradict. */
export const changedFacts = ({ facts }: RegistryEntry, onChain: VaultFacts = {}): (keyof VaultFacts)[] =>
  factsOf(onChain).filter((fact) => facts[fact] !== undefined && facts[fact] !== onChain[fact]);

export const factsOf = (onChain: VaultFacts) => Object.keys(onChain) as (keyof VaultFacts)[];
