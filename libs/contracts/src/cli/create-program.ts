import { Command, Option } from 'commander';
import { type Address, type PublicClient, formatEther, parseEther } from 'viem';
import { type Signer, deployContracts, entryPoint, planContracts } from '../deploy-contracts.js';
import { usdcPaymasterAbi } from '../generated/UsdcPaymaster.js';
import { inspectContracts } from '../inspect-contracts.js';
import { describeContracts } from '../manifest.js';
import { updatePaymasterPrice } from '../paymaster-price.js';
import { callPaymaster, functionOf, parseArgument, runbookCalls } from './call-paymaster.js';
import {
  type CliIo,
  type CommonOptions,
  addressesOf,
  outBatch,
  parseAddress,
  parseAmount,
  readerOf,
  rolesOf,
  toJson,
  walletOf,
} from './io.js';

interface DeployOptions extends CommonOptions {
  readonly deposit: bigint;
  readonly stake: bigint;
}

/** Create the operator's commands for the contracts. */
export function createProgram(io: CliIo): Command {
  const program = new Command('node libs/contracts/bin/yield-vault-contracts.js').description(
    'Deploy, watch and manage the contracts of a chain.',
  );
  const paymaster = program.command('paymaster').description('call a function of our paymaster');
  const add = (name: string, description: string, parent = program) =>
    parent
      .command(name)
      .description(description)
      .requiredOption('--rpc <url>', 'a node of the chain')
      .option('--owner <address>', 'owner of our paymaster at its deployment, e.g. a Safe', parseAddress)
      .option('--pauser <address>', 'its pauser at its deployment; the owner by default', parseAddress)
      .option(
        '--paymaster <address>',
        "instead: a third party's paymaster, or an old one of ours",
        parseAddress,
      );
  const withSender = (command: Command) =>
    command
      .option('--keystore <file>', 'key of the sender: Web3 Secret Storage, version 3')
      .option('--password-file <file>', 'password of the keystore; you are asked for it by default')
      .option('--key-command <command>', 'instead: a shell command whose output is the key')
      .option('--unsigned <sender>', 'instead: print a batch for the Safe Transaction Builder', parseAddress);

  add(
    'inspect',
    'compare the contracts with this package; exit code 1 when one is missing or different',
  ).action(async (options: CommonOptions) => {
    if (!(await inspect(options, io))) process.exitCode = 1;
  });
  withSender(
    add('deploy', 'deploy what is missing, fund our paymaster and store its first price; safe to repeat'),
  )
    .addOption(ether('--deposit <ether>', 'least deposit of our paymaster', '0.1'))
    .addOption(ether('--stake <ether>', 'stake of our paymaster, paid when it is deployed', '1'))
    .action((options: DeployOptions) => deploy(options, io));
  withSender(add('refresh-price', "store the present price of our paymaster's feeds; anyone may")).action(
    (options: CommonOptions) => callPaymaster(options, io, 'updatePrice'),
  );
  for (const [name, description] of Object.entries(runbookCalls)) {
    const { inputs, stateMutability } = functionOf(name);
    const command = withSender(add(name, description, paymaster));
    for (const { name: input = '', type } of inputs)
      command.argument(`<${input}>`, type, (text) => parseArgument(type, text));
    if (stateMutability === 'payable')
      command.requiredOption('--value <ether>', 'ether to send along', parseAmount);
    command.action(() => callPaymaster(command.opts(), io, name, command.processedArgs));
  }
  program
    .command('manifest')
    .description('print the addresses and code hashes of every chain, as in manifest.json')
    .action(() => io.out(toJson(describeContracts())));
  return program;
}

// The help cannot print a bigint.
const ether = (flags: string, description: string, value: string) =>
  new Option(flags, description).argParser(parseAmount).default(parseEther(value), value);

async function inspect(options: CommonOptions, io: CliIo): Promise<boolean> {
  const reader = readerOf(options);
  const addresses = await addressesOf(options);
  const paymaster = options.paymaster ? 'other' : 'own';
  const contracts = await inspectContracts(reader, addresses, { paymaster });
  const isOk = contracts.every(({ status }) => status === 'ok');
  const state = isOk && paymaster === 'own' ? await readPaymaster(reader, addresses.paymaster) : undefined;
  io.out(toJson({ contracts, paymaster: state }));
  return isOk;
}

async function deploy(options: DeployOptions, io: CliIo): Promise<void> {
  const wallet = await walletOf(options);
  const reader = readerOf(options);
  const paymaster = options.paymaster ? undefined : rolesOf(options);
  if (paymaster && !(await reader.getCode({ address: paymaster.owner })))
    io.note(`${paymaster.owner} has no code here: one key owns the paymaster. A Safe is safer.`);
  const wanted = {
    paymaster,
    paymasterDepositWei: options.deposit,
    paymasterStakeWei: options.stake,
  };
  const plan = await planContracts(wallet, reader, wanted);
  if (paymaster && plan.paymasterStake < options.stake)
    io.note(
      `The paymaster has a stake of ${formatEther(plan.paymasterStake)} ETH: its owner must add the rest by addStake.`,
    );
  const calls = [...plan.contracts.map(({ call }) => call), plan.deposit];
  if (options.unsigned) return outBatch(options, io, calls);
  const report = await deployContracts(wallet, reader, wanted);
  const priceTxHash = paymaster && (await storePrice(options, wallet));
  io.out(toJson({ ...report, priceTxHash: priceTxHash ?? null }));
}

/** @returns `undefined` when the stored price is not yet in the last tenth of its validity */
async function storePrice(options: CommonOptions, wallet: Signer) {
  const reader = readerOf(options);
  const { paymaster } = await addressesOf(options);
  const [{ refreshAt }, { timestamp }] = await Promise.all([
    readPaymaster(reader, paymaster),
    reader.getBlock(),
  ]);
  return timestamp < refreshAt ? undefined : updatePaymasterPrice(wallet, reader, paymaster);
}

async function readPaymaster(reader: PublicClient, address: Address) {
  const paymaster = { address, abi: usdcPaymasterAbi } as const;
  const [info, owner, pauser, terms] = await Promise.all([
    reader.readContract({
      ...entryPoint,
      functionName: 'getDepositInfo',
      args: [address],
    }),
    reader.readContract({ ...paymaster, functionName: 'owner' }),
    reader.readContract({ ...paymaster, functionName: 'pauser' }),
    reader.readContract({ ...paymaster, functionName: 'terms' }),
  ]);
  const { deposit, stake, unstakeDelaySec } = info;
  const [usdcPerNative, validUntil, refreshAt, markupBps, operationCeiling] = terms;
  const funds = { deposit, stake, unstakeDelaySec };
  return { owner, pauser, ...funds, usdcPerNative, validUntil, refreshAt, markupBps, operationCeiling };
}
