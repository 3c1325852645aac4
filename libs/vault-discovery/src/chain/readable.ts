const longest = 200;

/** Make text of a contract fit to be stored and shown: no control characters, which databases refuse, and not long. */
export const readable = (text: string): string =>
  text.slice(0, longest).replace(/[\p{Cc}\p{Cs}]/gu, '\uFFFD');
