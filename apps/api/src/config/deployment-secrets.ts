import type { Deployment } from '@yield-vault/chains';
import { secretsOf } from '@yield-vault/server';

/** List what of a deployment must not be logged: credentials, and the parts of URLs that hold some. */
export function deploymentSecrets({
  chains,
  database,
  rateLimits,
  forks,
  discovery,
  payments,
}: Deployment): readonly string[] {
  const perChain = Object.values(chains).flatMap(({ rpcUrls, bundlerUrl, paymaster }) => [
    ...rpcUrls,
    bundlerUrl,
    paymaster.kind === 'erc7677' ? paymaster.url : undefined,
  ]);
  const { vaultsFyiKey, ...sourceUrls } = discovery.sources;
  const shared = [
    ...Object.values(sourceUrls),
    'url' in database ? database.url : undefined,
    rateLimits.redisUrl,
  ];
  return [
    ...secretsOf([...perChain, ...shared, forks.provider === 'service' ? forks.url : undefined]),
    ...(forks.provider === 'service' ? [forks.adminCredential] : []),
    ...(forks.provider === 'tenderly' ? [forks.accessKey] : []),
    ...(vaultsFyiKey === undefined ? [] : [vaultsFyiKey]),
    ...paymentSecrets(payments),
  ];
}

function paymentSecrets(payments: Deployment['payments']): readonly string[] {
  if (payments.mode === 'off') return [];
  const { facilitator, allowlist } = payments;
  if (facilitator.kind === 'embedded') return [facilitator.privateKey, ...allowlist];
  const { url, bearerToken } = facilitator;
  return [...secretsOf([url]), ...(bearerToken === undefined ? [] : [bearerToken]), ...allowlist];
}
