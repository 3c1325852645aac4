/** What an instance of the service is told about itself. */
export interface ServiceSettings {
  readonly host: string;
  readonly port: number;
  /** What operators identify with. Never shown. */
  readonly credential: string;
  /** Folder that keeps persistent forks over a restart. */
  readonly stateDirectory?: string;
  /** Starts the ids of this instance's forks, for a balancer in front of several. */
  readonly instance?: string;
  /** Whether payments are settled on the persistent forks, whose clocks are then not moved. */
  readonly takesPayments?: boolean;
  /** Longest time for one request. */
  readonly requestTimeoutSeconds: number;
}
