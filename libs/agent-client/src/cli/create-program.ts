import {
  decimalPattern,
  intentStates,
  operations,
  riskLevels,
  strategies,
  type DiscoverResponse,
  type IntentListResponse,
  type IntentStatus,
} from '@yield-vault/protocol';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { Address, Hex } from 'viem';
import type { DiscoverRequest, IntentListRequest, QuoteRequest } from '../types.js';
import { failureOf } from './failure.js';
import { exitCodes, toJson, toText, type CliIo } from './io.js';
import { executeOrRelay, prepare, sign } from './operations.js';
import { revokeIntents, revokeWallet } from './revoke-wallet.js';
import { openSession, toAddress, type Options, type Session } from './session.js';
import { verifyFile, type Verified } from './verify-file.js';

const help = `
Environment: PRIVATE_KEY signs, PAYER_KEY pays. No key is an argument.
Results are on standard output; progress and errors are on standard error.

Exit codes:
  0  done
  1  refused by the verifier or the service, or without effect: sign nothing
  2  wrong usage or unreadable input
  3  unknown outcome: do not repeat the command, and give the signed document of standard output to execute
  4  service or node unavailable: run the same command again`;

const choice = (flags: string, description: string, values: readonly string[]) =>
  new Option(flags, description).choices(values);
const number = (flags: string, description: string) => new Option(flags, description).argParser(parseNumber);

const chain = new Option('--chain <key>', 'chain').default('base');
const asset = new Option('--asset <symbol>', 'asset of the vault: USDC by default; for discover, any');
const amount = new Option('--amount <units>', 'human units of the asset, e.g. 25.5');
const limit = number('--limit <count>', 'most results');
const wallet = new Option('--wallet <address>', 'the wallet');
const expect = new Option('--expect <file>', 'expectations as JSON, in place of the request');
const ranking = [
  choice('--strategy <name>', 'what ranks the vaults', strategies),
  choice('--risk, --risk-tolerance <level>', 'highest accepted risk', riskLevels),
];
const request = [
  chain,
  asset,
  new Option('--vault <vault>', 'address or id of the vault; for a rebalance, of the source'),
  amount,
  number('--percentage <percent>', 'to redeem: percent of the position'),
  new Option('--target <vaults...>', 'to rebalance: accepted target vaults'),
  ...ranking,
];

/** Build the command for agents, and for people who have to sign something. */
function createProgram(io: CliIo): Command {
  const program = new Command('node libs/agent-client/bin/yield-vault-agent.js')
    .description('Earn yield in vaults. Every document is verified before it is signed.')
    .addOption(
      new Option('--url <url>', 'the service')
        .env('YIELD_VAULT_URL')
        .default('http://127.0.0.1:3000')
        .argParser(parseUrl),
    )
    .addOption(new Option('--rpc <url>', 'your own node of the chain').env('RPC_URL').argParser(parseUrl))
    .addOption(number('--max-price <usd>', 'most that PAYER_KEY pays for a request').env('MAX_PRICE'))
    .option('--book <file>', 'also trust the deployments of this address book')
    .option('--local', 'trust the local deployment in place of the shipped ones')
    .option('--json', 'print JSON, and errors as JSON on standard error')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.note(text.trimEnd()),
      outputError: () => undefined,
    })
    .addHelpText('after', help)
    .exitOverride();

  // `given` has the options of the command alone.
  const add = <Given = unknown>(
    usage: string,
    description: string,
    options: readonly Option[],
    run: (session: Session, given: Given, ...args: string[]) => Promise<unknown>,
    print: (result: never) => string = (result) => toText(result),
  ) => {
    const command = program.command(usage).description(description);
    for (const option of options) command.addOption(option);
    command.action(async () => {
      const session = await openSession(command.optsWithGlobals<Options & object>(), io);
      const result = await run(
        session,
        command.opts<Given & object>(),
        ...(command.processedArgs as string[]),
      );
      if (result !== undefined) io.out((session.json ? toJson : print)(result as never));
    });
  };

  add<DiscoverRequest>(
    'discover',
    'rank vaults',
    [chain, asset, ...ranking, number('--min-apy <percent>', 'lowest accepted APY'), limit],
    ({ client }, given) => client.discover(given),
    ({ vaults }: DiscoverResponse) =>
      toText(
        ...vaults.map(
          ({ vaultId, vaultAddress, apy, risk, name }) =>
            `${vaultId} ${vaultAddress} ${apy.now} % APY, ${risk.level} risk, ${name}`,
        ),
      ),
  );
  add('explain <vaultId>', 'show every number of a vault', [], ({ client }, _, id = '') =>
    client.explain(id),
  );
  add<Omit<QuoteRequest, 'vaultId'>>(
    'quote <vaultId>',
    'show what an amount would earn',
    [amount, number('--days <count>', 'days until the redeem')],
    ({ client }, given, vaultId = '') => client.quote({ vaultId, ...given }),
  );
  add(
    'prepare <operation>',
    `request an intent, or the setup that the wallet needs first; the operation is ${operations.join(', ')}`,
    [...request, wallet],
    (session, _, operation = '') => prepare(operation, session),
    toJson,
  );
  add(
    'verify <file> [operation]',
    'say what a prepare response does, and whether it matches the request; - reads standard input',
    [...request, wallet, expect],
    (session, _, file = '', operation) => verifyFile(file, operation, session, io),
    describeVerified,
  );
  add(
    'sign <file> [operation]',
    'verify a prepare response, and sign it with PRIVATE_KEY',
    [...request, expect],
    (session, _, file = '', operation) => sign(file, operation, session, io),
    toJson,
  );
  add(
    'execute <operationOrFile>',
    'execute a request from prepare to the chain with PRIVATE_KEY, or relay what sign printed',
    request,
    (session, _, what = '') => executeOrRelay(what, session, io),
  );
  add('status <wallets...>', 'show the positions of wallets', [], ({ client }, _, ...args) => {
    const wallets = args.flat() as Address[];
    return wallets.length > 1 ? client.statusBatch(wallets) : client.status(wallets[0]!);
  });
  add<IntentListRequest>(
    'intents [intentId]',
    'show an intent, or list those of a wallet, newest first',
    [
      wallet,
      choice('--state <state>', 'only intents in this state', intentStates),
      limit,
      new Option('--cursor <cursor>', 'nextCursor of the page before'),
    ],
    ({ client }, given, id) => (id ? client.intent(id as Hex) : client.intents(given)),
    (response: IntentListResponse | IntentStatus) =>
      toText(
        ...('intents' in response
          ? response.intents.map(({ intentId, state, txHash }) => `${intentId} ${state} ${txHash}`)
          : [response]),
      ),
  );
  add(
    'revoke-delegation <wallet>',
    'print the unsigned transaction that clears the delegation of a wallet',
    [new Option('--revoke-unknown', 'also revoke a delegation to an unknown implementation')],
    (session, _, address = '') => revokeWallet(toAddress(address), session, io),
  );
  add(
    'revoke-intents <wallet>',
    'print the unsigned transaction that revokes every signed intent of a wallet',
    [],
    (session, _, address = '') => revokeIntents(toAddress(address), session, io),
  );
  return program;
}

/** Run the program with its arguments. @returns the exit code; it never throws */
export async function runProgram(io: CliIo, args: readonly string[]): Promise<number> {
  try {
    await createProgram(io).parseAsync(args, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof CommanderError && error.message === '(outputHelp)')
      return error.exitCode * exitCodes.failed;
    const { exitCode, body } = failureOf(error);
    const { code, detail, nextAction } = body;
    io.note(args.includes('--json') ? toJson(body) : toText(`error: ${code}: ${detail}`, nextAction));
    return exitCode;
  }
}

function describeVerified(verified: Verified): string {
  const { summary } = verified;
  const signs =
    'digest' in verified ? [`signs ${verified.digest} (user operation ${verified.userOpHash})`] : [];
  return ['OK', ...summary, ...signs].join('\n  ');
}

function parseNumber(text: string): number {
  if (decimalPattern.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a decimal number.');
}

function parseUrl(text: string): string {
  if (/^https?:/.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('Write an http or https URL.');
}
