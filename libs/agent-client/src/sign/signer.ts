import type { Address, LocalAccount } from 'viem';

/** The parts of an ethers v6 signer that are used. */
export interface EthersSigner {
  getAddress(): Promise<string>;
  signTypedData(
    domain: object,
    types: Record<string, { name: string; type: string }[]>,
    value: Record<string, unknown>,
  ): Promise<string>;
  signTransaction(transaction: object): Promise<string>;
  authorize(authorization: {
    readonly address: string;
    readonly chainId: number;
    readonly nonce: number;
  }): Promise<{
    readonly signature: { readonly r: string; readonly s: string; readonly yParity: number };
  }>;
}

/** The holder of the key: an account of viem, a wallet client of viem around one, or a signer of ethers v6. */
export type AgentSigner = LocalAccount | { readonly account: LocalAccount } | EthersSigner;

/** Tell the two libraries apart. */
export function isEthersSigner(signer: AgentSigner): signer is EthersSigner {
  return 'getAddress' in signer;
}

/** The account of viem in a signer that is not one of ethers. */
export function accountOf(signer: Exclude<AgentSigner, EthersSigner>): LocalAccount {
  return 'account' in signer ? signer.account : signer;
}

/** The address that signs. */
export async function addressOf(signer: AgentSigner): Promise<Address> {
  return isEthersSigner(signer) ? ((await signer.getAddress()) as Address) : accountOf(signer).address;
}
