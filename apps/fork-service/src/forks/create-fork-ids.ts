import { NotFoundError } from '@yield-vault/protocol';

/** Turns the ids of this instance's forks into those that callers see, and back. */
export interface ForkIds {
  toPublic(id: string): string;
  /** @throws {NotFoundError} it is no id of this instance */
  toOwn(publicId: string): string;
}

// Neither an instance nor an id of the fork manager holds one.
const separator = '.';

/**
 * Create the ids of an instance. With a name, ids read `<instance>.<id>`: enough for a balancer to send every call
 * about a fork to the instance that holds it.
 */
export function createForkIds(instance: string | undefined): ForkIds {
  if (instance === undefined) return { toPublic: (id) => id, toOwn: (id) => id };
  const prefix = `${instance}${separator}`;
  return {
    toPublic: (id) => `${prefix}${id}`,
    toOwn(publicId) {
      if (publicId.startsWith(prefix)) return publicId.slice(prefix.length);
      throw new NotFoundError({
        detail: `The fork is not one of instance ${instance}: its id would start with ${prefix}`,
        nextAction: 'Send the call to the instance that the id starts with; check the balancer.',
        details: { instance },
      });
    },
  };
}
