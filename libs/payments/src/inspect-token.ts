import { asUpstreamError } from '@yield-vault/chains';
import { sameHex } from '@yield-vault/protocol';
import { domainSeparator, parseAbi, type Address } from 'viem';
import type { Inspection } from './ports.js';
import type { PaymentChain } from './types.js';

const abi = parseAbi([
  'function decimals() view returns (uint8)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
]);
const anyNonce = `0x${'00'.repeat(32)}` as const;

/** Compare a token on chain with its configuration, because payers sign the configured EIP-712 domain. */
export async function inspectToken(chain: PaymentChain, payTo: Address): Promise<Inspection> {
  const { key, chainId, rpc, asset } = chain;
  const { address, name, version } = asset;
  const token = { abi, address } as const;
  try {
    if (Number(await rpc.getChainId()) !== chainId)
      return { problems: [`the RPC of ${key} has another chain id than ${chainId}`], warnings: [] };
    const [decimals, domain] = await Promise.all([
      rpc.readContract({ ...token, functionName: 'decimals' }),
      rpc.readContract({ ...token, functionName: 'DOMAIN_SEPARATOR' }),
      rpc.readContract({ ...token, functionName: 'authorizationState', args: [payTo, anyNonce] }),
    ]);
    const expected = domainSeparator({ domain: { name, version, chainId, verifyingContract: address } });
    const problems = [
      ...(decimals === asset.decimals
        ? []
        : [`the token on ${key} has ${decimals} decimals, not ${asset.decimals}`]),
      ...(sameHex(domain, expected)
        ? []
        : [`the token on ${key} has another EIP-712 domain than "${name}" version ${version}`]),
    ];
    return { problems, warnings: [] };
  } catch (error) {
    return asUpstreamError(error, key)
      ? { problems: [], warnings: [`the RPC of ${key} does not respond`] }
      : { problems: [`the token on ${key} does not support EIP-3009`], warnings: [] };
  }
}
