const mask = '[masked]';

// 65 bytes and more: signatures, signed transactions, call data.
const longHex = /0x[0-9a-fA-F]{130,}/g;

/** Build the function that removes secrets and signed data from a log line. */
export function maskLine(secrets: readonly string[]): (line: string) => string {
  return (line) => {
    const shortened = line.replace(longHex, (hex) => `${hex.slice(0, 10)}…[${(hex.length - 2) / 2} bytes]`);
    return secrets.reduce((masked, secret) => masked.replaceAll(secret, mask), shortened);
  };
}
