const longest = 200;

/** Make text of a contract safe to store and show: short, without characters that hide, reorder or end lines. */
export const readable = (text: string): string =>
  text.slice(0, longest).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD');

/** Put the reason of a revert into a sentence. A name stays as it is; text is quoted, because the contract chose it. */
export const quoteReason = (reason: string): string =>
  /^\w+$/.test(reason) ? reason : `the contract says "${reason.replaceAll('"', "'")}"`;
