import type { ErrorResponse, VaultListResponse, VaultSummary } from '@yield-vault/protocol';

/**
 * Read a free endpoint.
 *
 * @throws {Error} saying what was wrong and what to do next
 */
export async function getJson<Body>(path: string): Promise<Body> {
  const response = await fetch(path).catch(() => {
    throw new Error('The service does not respond. Check that it runs.');
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok || body === undefined) throw new Error(describe(response.status, body));
  return body as Body;
}

function describe(status: number, body: unknown): string {
  const { error, detail, nextAction } = (body ?? {}) as Partial<ErrorResponse>;
  if (error === undefined) return `The service responded with status ${status}.`;
  return [`${error}.`, detail, nextAction].filter(Boolean).join(' ');
}

/** Read every vault of a chain that is listed, or every one that is not. */
export async function listVaults(chain: string, listed = true): Promise<readonly VaultSummary[]> {
  const vaults: VaultSummary[] = [];
  for (let cursor = ''; ;) {
    const query = new URLSearchParams({
      chain,
      listed: String(listed),
      limit: '100',
      ...(cursor && { cursor }),
    });
    const page = await getJson<VaultListResponse>(`/v1/yield/vaults?${query.toString()}`);
    vaults.push(...page.vaults);
    if (page.nextCursor === null) return vaults;
    cursor = page.nextCursor;
  }
}
