/**
 * List the parts of URLs that must not be logged: passwords, and paths and queries, where RPC providers put
 * their keys.
 */
export function secretsOf(urls: readonly (string | null | undefined)[]): readonly string[] {
  const secrets = urls.flatMap((text) => {
    if (!text) return [];
    // A database may have a password and no host.
    const withHost = URL.canParse(text) ? text : text.replace('@/', '@localhost/');
    if (!URL.canParse(withHost)) return [];
    const { username, password, pathname, search } = new URL(withHost);
    const path = `${pathname}${search}`;
    return [password, username === '' ? '' : `${username}:${password}`, path.length > 8 ? path : ''];
  });
  // The longest first, so that no part of a longer one stays.
  return [...new Set(secrets)].filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
}
