import type { Deployment } from './deployment-schema.js';

/** List the values of a deployment that must not be logged: credentials, and parts of URLs that hold credentials. */
export function deploymentSecrets({
  chains,
  database,
  rateLimits,
  forks,
  discovery,
  payments,
  keeper,
}: Deployment): readonly string[] {
  const perChain = Object.values(chains).flatMap(({ rpcUrls, bundlerUrls, paymaster }) => [
    ...rpcUrls,
    ...bundlerUrls,
    paymaster.kind === 'erc7677' ? paymaster.url : undefined,
  ]);
  const shared = [
    ...Object.values(discovery.sources),
    'url' in database ? database.url : undefined,
    rateLimits.redisUrl,
  ];
  return [
    ...secretsOf([...perChain, ...shared, forks.provider === 'service' ? forks.url : undefined]),
    ...(forks.provider === 'service' ? [forks.adminCredential] : []),
    ...paymentSecrets(payments),
    ...(keeper.privateKey ? [keeper.privateKey] : []),
  ];
}

function paymentSecrets(payments: Deployment['payments']): readonly string[] {
  if (payments.mode === 'off') return [];
  const { facilitator, allowlist } = payments;
  if (facilitator.kind === 'embedded') return [facilitator.privateKey, ...allowlist];
  const { url, bearerToken, cdp } = facilitator;
  // A log line escapes the line ends of a PEM, so that only its lines can be found there.
  const lines = [bearerToken, cdp?.keySecret].flatMap((secret) => secret?.split(/\\n|\n/) ?? []);
  return [...secretsOf([url]), ...lines.filter((line) => line !== ''), ...allowlist];
}

/**
 * List the parts of URLs that must not be logged: passwords, and paths and queries, where RPC providers put
 * their keys.
 */
export function secretsOf(urls: readonly (string | undefined)[]): readonly string[] {
  const secrets = urls.flatMap((text) => {
    if (!text) return [];
    // A database may have a password and no host.
    const withHost = URL.canParse(text) ? text : text.replace('@/', '@localhost/');
    if (!URL.canParse(withHost)) return [];
    const { username, password, pathname, search } = new URL(withHost);
    const path = `${pathname}${search}`;
    // A node may echo its key alone. A word such as `ethereum` or `yield_vault` is no key.
    const keys = path.split(/[/?&=]/).filter((part) => /^(?![a-z_]+$).{8,}/.test(part));
    return [password, username === '' ? '' : `${username}:${password}`, path.length > 8 ? path : '', ...keys];
  });
  // The longest first, so that no part of a longer one stays.
  return [...new Set(secrets)].filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
}
