import { asUpstreamError } from '@yield-vault/chains';
import { sameHex } from '@yield-vault/protocol';
import { domainSeparator, parseAbi, type Address } from 'viem';
import type { Inspection, PaymentChain } from '../ports.js';

const abi = parseAbi([
  'function decimals() view returns (uint8)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
]);
const anyNonce = `0x${'00'.repeat(32)}` as const;

/** Compare a token on chain with what is configured of it: payers sign for what the terms say. */
export async function inspectToken(chain: PaymentChain, payTo: Address): Promise<Inspection> {
  const { key, chainId, rpc, asset } = chain;
  const { address, name, version } = asset;
  const token = { abi, address } as const;
  try {
    if (Number(await rpc.getChainId()) !== chainId)
      return { problems: [`${key} is another chain`], warnings: [] };
    const [decimals, domain] = await Promise.all([
      rpc.readContract({ ...token, functionName: 'decimals' }),
      rpc.readContract({ ...token, functionName: 'DOMAIN_SEPARATOR' }),
      rpc.readContract({ ...token, functionName: 'authorizationState', args: [payTo, anyNonce] }),
    ]);
    const expected = domainSeparator({ domain: { name, version, chainId, verifyingContract: address } });
    const problems = [
      ...(decimals === asset.decimals ? [] : [`the token on ${key} has ${decimals} decimals`]),
      ...(sameHex(domain, expected) ? [] : [`the EIP-712 domain of the token on ${key} is another one`]),
    ];
    return { problems, warnings: [] };
  } catch (error) {
    return asUpstreamError(error, key)
      ? { problems: [], warnings: [`the node of ${key} does not answer`] }
      : { problems: [`the token on ${key} takes no authorizations`], warnings: [] };
  }
}
