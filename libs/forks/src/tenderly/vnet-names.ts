import type { ForkKind } from '../types.js';

const prefix = 'yield-vault';

/** What the slug of one of our Virtual TestNets says. */
export interface VnetName {
  readonly kind: ForkKind;
  /** Chain key. */
  readonly chain: string;
  /** Of the fork. */
  readonly id: string;
}

/** Slugs of one deployment: others of the same project are told apart by the tag. */
export interface VnetNames {
  slugOf(name: VnetName): string;
  /** @returns undefined for a slug of somebody else */
  parse(slug: string): VnetName | undefined;
}

/** @param tag letters and digits; two deployments of one project need different ones */
export function createVnetNames(tag: string): VnetNames {
  const start = `${prefix}-${plain(tag)}-`;
  const pattern = new RegExp(`^${start}(persistent|ephemeral)-([a-z0-9]+)-([a-z0-9-]+)$`);
  return {
    slugOf: ({ kind, chain, id }) => `${start}${kind}-${plain(chain)}-${id}`,
    parse: (slug) => {
      const [, kind, chain, id] = pattern.exec(slug) ?? [];
      return kind && chain && id ? { kind: kind as ForkKind, chain, id } : undefined;
    },
  };
}

/** Reduce a text to what a part of a slug may hold. */
export const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
