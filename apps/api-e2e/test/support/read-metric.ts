/** Read one value of `/metrics`; `undefined` where there is none with these labels. */
export async function readMetric(
  url: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  const line = lines.find((each) =>
    Object.entries(labels).every(([label, value]) => each.includes(`${label}="${value}"`)),
  );
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}
