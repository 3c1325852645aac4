import { isLowS, type Eip7702Auth } from '@yield-vault/protocol';
import {
  concat,
  hashMessage,
  hashTypedData,
  hexToBigInt,
  keccak256,
  numberToHex,
  serializeTransaction,
  size,
  slice,
  type Address,
  type AuthorizationRequest,
  type Hex,
  type LocalAccount,
  type Signature,
  type TransactionSerializable,
  type TypedDataDefinition,
} from 'viem';
import { hashAuthorization } from 'viem/utils';

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

type Methods = Pick<LocalAccount, 'signMessage' | 'signTransaction' | 'signTypedData' | 'signAuthorization'>;

/** An account that signs hashes, e.g. of `toAccount` or a key service. Its own method for a document is preferred to `sign`. */
export interface HashSigner extends Partial<Methods> {
  readonly address: Address;
  sign(parameters: { hash: Hex }): Promise<Hex>;
}

/** The holder of the key: an account of viem, one that signs hashes, a wallet client around either, or a signer of ethers v6. */
export type AgentSigner =
  LocalAccount | HashSigner | { readonly account: LocalAccount | HashSigner } | EthersSigner;

/** An account of viem that signs everything. */
export interface SigningAccount extends Methods {
  readonly address: Address;
  signAuthorization(authorization: AuthorizationRequest): Promise<Eip7702Auth>;
}

/** The signer can sign a document neither by its own method nor as a hash. */
export class UnsupportedSignerError extends TypeError {
  override readonly name = 'UnsupportedSignerError';
  readonly code = 'UNSUPPORTED_SIGNER';

  constructor(
    /** The method that is missing, e.g. `signAuthorization`. */
    readonly method: string,
  ) {
    super(
      `The signer has neither ${method} nor sign({ hash }). Add one of them, or use executeCalls of agent-client/viem.`,
    );
  }
}

/** The address that signs. */
export async function addressOf(signer: AgentSigner): Promise<Address> {
  return (await accountOf(signer)).address;
}

/**
 * Make an account of viem out of any signer. A missing method is replaced by `sign`, over the hash of the document.
 *
 * @throws {UnsupportedSignerError} when it signs no typed data, e.g. an account of a browser wallet; its other methods throw it
 *   when they are called
 */
export async function accountOf(signer: AgentSigner): Promise<SigningAccount> {
  const account = await methodsOf(signer);
  const sign = async (method: keyof Methods, hash: () => Hex): Promise<Signature> => {
    if (!account.sign) throw new UnsupportedSignerError(method);
    return parseSignature(await account.sign({ hash: hash() }));
  };
  if (!account.signTypedData && !account.sign) throw new UnsupportedSignerError('signTypedData');
  return {
    address: account.address,
    async signMessage(parameters: Parameters<Methods['signMessage']>[0]) {
      if (account.signMessage) return account.signMessage(parameters);
      return serialize(await sign('signMessage', () => hashMessage(parameters.message)));
    },
    async signTypedData(document: TypedDataDefinition) {
      const signature = account.signTypedData
        ? parseSignature(await account.signTypedData(document))
        : await sign('signTypedData', () => hashTypedData(document));
      return serialize(signature);
    },
    async signAuthorization({ address, contractAddress = address!, chainId, nonce }: AuthorizationRequest) {
      const authorization = { address: contractAddress, chainId, nonce };
      const signature = account.signAuthorization
        ? await account.signAuthorization(authorization)
        : await sign('signAuthorization', () => hashAuthorization(authorization));
      return { ...authorization, ...normalise(signature) };
    },
    async signTransaction(
      transaction: TransactionSerializable,
      options: { serializer?: typeof serializeTransaction } = {},
    ) {
      if (account.signTransaction) return account.signTransaction(transaction, options);
      const { serializer = serializeTransaction } = options;
      const signature = await sign('signTransaction', () => keccak256(serializer(transaction)));
      return serializer(transaction, normalise(signature));
    },
  } as SigningAccount;
}

/** The methods that a signer has, in the form of viem. */
async function methodsOf(signer: AgentSigner): Promise<Partial<HashSigner> & Pick<HashSigner, 'address'>> {
  if (!('getAddress' in signer)) return 'account' in signer ? signer.account : signer;
  return {
    address: (await signer.getAddress()) as Address,
    signTypedData({ domain, types: { EIP712Domain: _, ...types }, message }: TypedDataDefinition) {
      return signer.signTypedData(domain!, types as never, message);
    },
    async signAuthorization(authorization: Parameters<EthersSigner['authorize']>[0]) {
      // Its fields are getters, which a spread would lose.
      const { r, s, yParity } = (await signer.authorize(authorization)).signature;
      return { ...authorization, r, s, yParity };
    },
    signTransaction: ({ gas, authorizationList, type: _, ...fields }: TransactionSerializable) =>
      signer.signTransaction({
        ...fields,
        gasLimit: gas,
        type: authorizationList ? 4 : 2,
        authorizationList: authorizationList?.map((signed) => ({ ...signed, signature: signed })),
      }),
  } as never;
}

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

// Not viem's: it would bring another implementation of the curve, 13 KB in a browser.
function parseSignature(signature: Hex): Signature {
  const v = size(signature) === 65 ? hexToBigInt(slice(signature, 64)) : undefined;
  if (v === undefined || ![0n, 1n, 27n, 28n].includes(v))
    throw new TypeError('The signer must return 65 bytes: r, s, and a v of 0, 1, 27 or 28.');
  return { r: slice(signature, 0, 32), s: slice(signature, 32, 64), v };
}

/** Write `v` as `yParity`, and a high `s` as its low twin, because chains accept no other. */
function normalise({ r, s, v, yParity = Number(v) % 27 }: Signature) {
  if (isLowS(s)) return { r, s, yParity };
  return { r, s: numberToHex(curveOrder - BigInt(s), { size: 32 }), yParity: 1 - yParity };
}

function serialize(signature: Signature): Hex {
  const { r, s, yParity } = normalise(signature);
  return concat([r, s, numberToHex(27 + yParity)]);
}
