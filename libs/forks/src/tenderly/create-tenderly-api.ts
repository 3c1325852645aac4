import { numberToHex } from 'viem';
import { z } from 'zod';
import { asTenderlyError } from './as-tenderly-error.js';
import type { Http, HttpAnswer } from './http.js';
import { vnetSchema, type Vnet } from './vnet.js';

const deadlineMs = 15_000;
const probeMs = 3_000;
// Longer than anybody waits: whoever gave up has to learn the id of what was made, to delete it.
const creationMs = 300_000;
// More than any project has; the API caps the size of a page, and says nothing about how many there are.
const maxPages = 100;

/** Where a project of Tenderly is, and what opens it. */
export interface TenderlyProject {
  /** `https://api.tenderly.co/api/v1` unless it is a copy of it. */
  readonly baseUrl: string;
  readonly account: string;
  readonly project: string;
  readonly accessKey: string;
}

/** What a new Virtual TestNet is to be. */
export interface NewVnet {
  /** Unique in the project: letters, digits and dashes. */
  readonly slug: string;
  readonly displayName: string;
  readonly chainId: number;
  /** The newest one when it is left out. */
  readonly block?: bigint;
}

/**
 * The Virtual TestNets of one project.
 *
 * @throws {ForkCapacityError} the plan allows no more
 * @throws {ForkNotRunningError} Tenderly does not answer, or not what it documents
 */
export interface TenderlyApi {
  createVnet(vnet: NewVnet): Promise<Vnet>;
  /** @returns undefined when there is none (any more) */
  getVnet(id: string): Promise<Vnet | undefined>;
  listVnets(): Promise<readonly Vnet[]>;
  isUp(): Promise<boolean>;
  /** Deleting one that is gone is no error. */
  deleteVnet(id: string): Promise<void>;
}

/** Make the client of the REST API. */
export function createTenderlyApi(
  http: Http,
  { baseUrl, account, project, accessKey }: TenderlyProject,
): TenderlyApi {
  const path = [account, 'project', project, 'vnets'].map(encodeURIComponent).join('/');
  const vnetsUrl = `${baseUrl.replace(/\/+$/, '')}/account/${path}`;
  const headers = { 'x-access-key': accessKey };

  const get = (url: string) => http.ask({ method: 'GET', url, headers, isIdempotent: true, deadlineMs });

  return {
    async createVnet(vnet) {
      const answer = await http.ask({
        method: 'POST',
        url: vnetsUrl,
        headers,
        body: creationBody(vnet),
        isIdempotent: false,
        deadlineMs: creationMs,
      });
      return understand(vnetSchema, answer);
    },
    async getVnet(id) {
      const answer = await get(`${vnetsUrl}/${id}`);
      return isGone(answer) ? undefined : understand(vnetSchema, answer);
    },
    async listVnets() {
      const found = new Map<string, Vnet>();
      for (let page = 1; page <= maxPages; page += 1) {
        const vnets = understand(z.array(vnetSchema), await get(`${vnetsUrl}?page=${String(page)}`));
        // An API without pages answers the same again.
        if (vnets.every(({ id }) => found.has(id))) break;
        for (const vnet of vnets) found.set(vnet.id, vnet);
      }
      return [...found.values()];
    },
    isUp: () =>
      http
        .ask({ method: 'GET', url: vnetsUrl, headers, isIdempotent: false, deadlineMs: probeMs })
        .then(isSuccess, () => false),
    async deleteVnet(id) {
      const url = `${vnetsUrl}/${id}`;
      const answer = await http.ask({ method: 'DELETE', url, headers, isIdempotent: true, deadlineMs });
      if (!isSuccess(answer) && !isGone(answer)) throw asTenderlyError(answer);
    },
  };
}

function creationBody({ slug, displayName, chainId, block }: NewVnet) {
  return {
    slug,
    display_name: displayName,
    fork_config: { network_id: chainId, block_number: block === undefined ? 'latest' : numberToHex(block) },
    // Wallets sign for the chain id of the real chain, so that the fork has to keep it.
    virtual_network_config: { chain_config: { chain_id: chainId } },
    sync_state_config: { enabled: false },
    explorer_page_config: { enabled: false, verification_visibility: 'bytecode' },
  };
}

function understand<T>(schema: z.ZodType<T>, answer: HttpAnswer): T {
  const parsed = isSuccess(answer) ? schema.safeParse(answer.body) : undefined;
  if (parsed?.success) return parsed.data;
  throw asTenderlyError(answer);
}

const isSuccess = ({ status }: HttpAnswer) => status >= 200 && status < 300;
const isGone = ({ status }: HttpAnswer) => status === 404 || status === 410;
