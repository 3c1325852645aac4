/** Take user name and password out of an address, which HTTP clients refuse there, and put them into a header. */
export function splitCredentials(address: string): {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
} {
  const url = new URL(address);
  if (!url.username && !url.password) return { url, headers: {} };
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = url.password = '';
  return { url, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}
