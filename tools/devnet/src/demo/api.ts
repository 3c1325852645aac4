/** The server refused a call, or did not answer as it should. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
}

/** Calls of the server, as any program makes them. */
export interface Api {
  get<Answer>(path: string, query?: Readonly<Record<string, string>>): Promise<Answer>;
  post<Answer>(path: string, body: unknown): Promise<Answer>;
  /** What it counts, as Prometheus text. */
  metrics(): Promise<string>;
}

/** Make a client of the server at `url`. */
export function createApi(url: string): Api {
  const answerOf = async <Answer>(path: string, response: Response): Promise<Answer> => {
    const body = (await response.json()) as { error?: string; detail?: string };
    if (!response.ok) {
      throw new ApiError(
        `${path} answered ${String(response.status)}: ${body.error ?? ''}. ${body.detail ?? ''}`.trim(),
      );
    }
    return body as Answer;
  };
  return {
    metrics: async () => (await fetch(`${url}/metrics`)).text(),
    async get(path, query = {}) {
      const search = new URLSearchParams(query).toString();
      return answerOf(path, await fetch(`${url}${path}${search && `?${search}`}`));
    },
    async post(path, body) {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return answerOf(path, response);
    },
  };
}
