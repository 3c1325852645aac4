import type { LocalDeployment } from './start-deployment.js';

// The wallet of the examples in Swagger UI. Any address works.
const exampleWallet = '0x6ac6Fa4fEaEaC3ce37CF6d3eDb1dB293DD000c34';

/** Say where everything is, and how to give a wallet something to work with. */
export function renderOverview({
  apiUrl,
  devnet: { chains, forkService },
  logDirectory,
}: Pick<LocalDeployment, 'apiUrl' | 'devnet' | 'logDirectory'>): string {
  const rpc = forkService ? 'fork RPC' : 'RPC';
  return [
    `Page      ${apiUrl}/`,
    `API       ${apiUrl}`,
    `Swagger   ${apiUrl}/docs`,
    ...chains.map(
      ({ key, chainId, walletRpcUrl, bundlerUrl }) =>
        `${key.padEnd(9)} ${rpc} ${walletRpcUrl} (chain id ${String(chainId)}), bundler ${bundlerUrl}`,
    ),
    `Logs      ${logDirectory}`,
    '',
    'Give your wallet something to work with (put in its address):',
    ...(forkService
      ? [
          `  curl ${apiUrl}/v1/testing/fund-wallet -H 'content-type: application/json' \\`,
          `    -d '{"chain":"base","walletAddress":"${exampleWallet}","ethWei":"10000000000000000","usdcAmount":"50000000"}'`,
        ]
      : [
          `  node tools/devnet/dist/main.js fund --chain base --address ${exampleWallet} \\`,
          `    --eth-wei 10000000000000000 --usdc 50 --rpc-url ${chains.find(({ key }) => key === 'base')?.rpcUrl ?? ''}`,
        ]),
  ].join('\n');
}
