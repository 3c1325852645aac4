import type { AddressBook, BookDeployment } from '../../verify/types.js';
import { UnknownChainError } from '../errors.js';

/** The deployments of a chain, at least one. */
export type ChainDeployments = readonly [BookDeployment, ...BookDeployment[]];

/** @throws {UnknownChainError} when the book has none on that chain */
export function deploymentsOn(book: AddressBook, chainId: number): ChainDeployments {
  const [first, ...others] = book.deployments.filter((deployment) => deployment.chainId === chainId);
  if (!first) throw new UnknownChainError(chainId);
  return [first, ...others];
}
