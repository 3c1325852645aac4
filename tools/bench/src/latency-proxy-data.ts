/** Start data of the proxy, which runs in its own thread. */
export interface LatencyProxyData {
  readonly targetUrl: string;
  readonly delayMs: number;
  /** HTTP requests so far, at index 0; shared. */
  readonly requests: Int32Array;
  /** When each of the last requests came and was answered, in milliseconds since 1970; shared. */
  readonly times: Float64Array;
}

/** Requests whose times are kept. */
export const tripsKept = 4_096;
