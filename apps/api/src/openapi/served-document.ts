import type { OpenAPIObject } from '@nestjs/swagger';
import type { DescribeResource, ResourceDiscovery } from '@yield-vault/payments';
import { describeResource } from './describe-resource.js';

/**
 * The document that the server serves. Payments read it, it describes the routes, and Nest makes the routes after payments:
 * so it is given last.
 */
export class ServedDocument {
  #document: OpenAPIObject | undefined;
  readonly #described = new Map<string, ResourceDiscovery>();

  serve(document: OpenAPIObject): void {
    this.#document = document;
  }

  /** Describe a route; each description is computed once. */
  readonly describe =
    (path: string): DescribeResource =>
    (detail) => {
      if (!this.#document) throw new Error('the server has not started');
      const key = `${detail} ${path}`;
      const described = this.#described.get(key) ?? describeResource(this.#document, path, detail);
      this.#described.set(key, described);
      return described;
    };
}
