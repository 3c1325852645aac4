import type { Address, Hex, LocalAccount, SignedAuthorization } from 'viem';

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

/** EIP-712 typed data with one type. */
interface TypedData {
  readonly domain: {
    readonly name: string;
    readonly version: string;
    readonly chainId: number;
    readonly verifyingContract: Address;
  };
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly primaryType: string;
  readonly message: Readonly<Record<string, unknown>>;
}

/** Sign EIP-712 typed data. */
export async function signTypedData(signer: AgentSigner, typedData: TypedData): Promise<Hex> {
  const { domain, types, primaryType, message } = typedData;
  if (!isEthersSigner(signer))
    return accountOf(signer).signTypedData({ domain, types, primaryType, message });
  const fields = (types[primaryType] ?? []).map((field) => ({ ...field }));
  return (await signer.signTypedData(domain, { [primaryType]: fields }, message)) as Hex;
}

/**
 * Sign an EIP-7702 authorization with an account of viem.
 *
 * @throws {TypeError} When the account cannot.
 */
export async function signWithAccount(
  account: LocalAccount,
  authorization: { readonly address: Address; readonly chainId: number; readonly nonce: number },
): Promise<SignedAuthorization> {
  if (!account.signAuthorization) throw new TypeError('This account cannot sign EIP-7702 authorizations');
  return account.signAuthorization(authorization);
}
