import {
  eip7702Marker,
  gaslessSetupPath,
  type GaslessSetup,
  type GaslessSetupRequest,
  type PermitTypedData,
  type PrepareSetupResponse,
} from '@yield-vault/protocol';
import { encodePermitData, usdcPermitTypedData } from '@yield-vault/smart-account';
import type { GaslessSetupExpectations } from '../../src/index.js';
import { local } from './book.js';
import { buildPrepared, wallet, type PreparedParts } from './build-prepared.js';
import { buildSetupResponse } from './build-setup.js';

/** Parts of a gasless setup; a test gives only the parts that it is about. */
export interface GaslessParts {
  readonly deployment?: typeof local;
  readonly authorization?: Partial<GaslessSetup['authorization']> | null;
  readonly domain?: Partial<PermitTypedData['domain']>;
  readonly message?: Partial<PermitTypedData['message']>;
}

/** Build the response of prepare for a wallet that can be set up without ether. */
export function buildGaslessResponse(parts: GaslessParts = {}): PrepareSetupResponse {
  const { deployment = local, authorization = {} } = parts;
  const { account, chainId, paymaster, usdc } = deployment;
  const fields = { chainId, usdc, owner: wallet, spender: paymaster.address, value: 20_000_000n, nonce: 3n };
  const { domain, types, primaryType, message } = usdcPermitTypedData(fields);
  const [value, nonce, deadline] = [message.value, message.nonce, message.deadline].map(String);
  return {
    ...buildSetupResponse({ deployment, setupType: authorization ? 'full' : 'modules' }),
    gaslessSetup: {
      authorization: authorization && { contractAddress: account, chainId, nonce: 7, ...authorization },
      permit:
        paymaster.kind === 'own' && !parts.message
          ? null
          : {
              domain: { ...domain, ...parts.domain },
              types,
              primaryType,
              message: { ...message, value: value!, nonce: nonce!, deadline: deadline!, ...parts.message },
            },
      endpoint: gaslessSetupPath,
    },
  };
}

/** What the agent's own node says of a wallet that was never delegated. */
export function buildGaslessExpectations(
  overrides: Partial<GaslessSetupExpectations> = {},
): GaslessSetupExpectations {
  return { wallet, chain: 'base', walletCode: '0x', authorizationNonce: 7, permitNonce: 3n, ...overrides };
}

type Signatures = Pick<GaslessSetupRequest, 'permitSignature' | 'authorization'>;

/** Build the envelope that an honest service completes with the signatures of the wallet. */
export function buildGaslessPrepared(
  { permitSignature: signature, authorization }: Signatures,
  { value = 20_000_000n, ...parts }: PreparedParts & { readonly value?: bigint } = {},
) {
  const { usdc } = parts.deployment ?? local;
  return buildPrepared({
    ...parts,
    operation: {
      ...(authorization && { factory: eip7702Marker, authorization }),
      ...(signature && { paymasterData: encodePermitData({ token: usdc, value, signature }) }),
      ...parts.operation,
    },
  });
}
