const readMethod =
  /^(eth_(call|get\w+|blockNumber|chainId|estimate\w+|feeHistory|gasPrice|maxPriorityFeePerGas|supportedEntryPoints|createAccessList|simulateV1)|net_\w+|web3_\w+|pimlico_get\w+|pm_get\w+)$/;

/** Tell whether a JSON-RPC method changes nothing, so that it may be asked twice. */
export function isReadMethod(method: string): boolean {
  return readMethod.test(method);
}
