import type { IntentSigning, SetupBlock } from '@yield-vault/protocol';

/** Signing with an agent's own key and library. */
export interface Agent {
  readonly address: string;
  /** Sign the `signing` block of an envelope (EIP-712). */
  signIntent(signing: IntentSigning): Promise<string>;
  /** Sign the setup transaction: type 4 with an authorization for `full`, type 2 for `modules`. */
  signSetup(setup: SetupBlock): Promise<string>;
  shareBalance(vaultAddress: string): Promise<bigint>;
}

/** Makes an agent of a fresh key on a chain. */
export type CreateAgent = (rpcUrl: string) => Promise<Agent>;
