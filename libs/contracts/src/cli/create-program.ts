import { Command, InvalidArgumentError } from 'commander';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  formatEther,
  getAddress,
  http,
  isAddress,
  isHex,
  parseEther,
  size,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import {
  type ContractAddresses,
  type PaymasterRoles,
  contractAddresses,
  entryPointDeployment,
  walletContracts,
} from '../address-book.js';
import { deployContracts } from '../deploy-contracts.js';
import { entryPointV08Abi } from '../generated/EntryPointV08.js';
import { usdcPaymasterAbi } from '../generated/UsdcPaymaster.js';
import { inspectContracts } from '../inspect-contracts.js';
import { describeContracts } from '../manifest.js';
import { updatePaymasterPrice } from '../paymaster-price.js';

/** The output of a command: results, and notes on the way. */
export interface CliIo {
  out(text: string): void;
  note(text: string): void;
}

interface CommonOptions {
  readonly rpc: string;
  readonly owner?: Address;
  readonly pauser?: Address;
  readonly paymaster?: Address;
}

interface DeployOptions extends CommonOptions {
  readonly deposit: bigint;
  readonly stake: bigint;
}

const keyVariable = 'PRIVATE_KEY';

/** Make the operator's commands for the contracts. Secrets come from the environment. */
export function createProgram(io: CliIo, env: NodeJS.ProcessEnv): Command {
  const program = new Command('node libs/contracts/bin/yield-vault-contracts.js').description(
    `Deploy and watch the contracts of a chain. The key of the sender is in ${keyVariable}.`,
  );
  const add = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .requiredOption('--rpc <url>', 'a node of the chain')
      .option('--owner <address>', 'owner of our paymaster at its deployment, e.g. a Safe', parseAddress)
      .option('--pauser <address>', 'its pauser at its deployment; the owner by default', parseAddress);
  const other = ['--paymaster <address>', 'a third-party paymaster in place of ours', parseAddress] as const;

  add('inspect', 'compare the contracts with this package; exit code 1 when one is missing or different')
    .option(...other)
    .action(async (options: CommonOptions) => {
      if (!(await inspect(options, io))) process.exitCode = 1;
    });
  add('deploy', 'deploy what is missing, fund our paymaster and store its first price; safe to repeat')
    .option(...other)
    .option('--deposit <ether>', 'least deposit of our paymaster', parseAmount, parseEther('0.1'))
    .option(
      '--stake <ether>',
      'stake of our paymaster, paid when it is deployed',
      parseAmount,
      parseEther('1'),
    )
    .action((options: DeployOptions) => deploy(options, io, env));
  add('refresh-price', "store the present price of our paymaster's feeds; anyone may").action(
    async (options: CommonOptions) => {
      const { paymaster } = await addressesOf(options);
      io.out(
        toJson({ txHash: await updatePaymasterPrice(walletOf(options, env), readerOf(options), paymaster) }),
      );
    },
  );
  program
    .command('manifest')
    .description('print the addresses and code hashes of every chain, as in manifest.json')
    .action(() => io.out(toJson(describeContracts())));
  return program;
}

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

async function deploy(options: DeployOptions, io: CliIo, env: NodeJS.ProcessEnv): Promise<void> {
  const reader = readerOf(options);
  const wallet = walletOf(options, env);
  const paymaster = options.paymaster ? undefined : rolesOf(options);
  if (paymaster && !(await reader.getCode({ address: paymaster.owner })))
    io.note(`${paymaster.owner} has no code here: one key owns the paymaster. A Safe is safer.`);
  const report = await deployContracts(wallet, reader, {
    paymaster,
    paymasterDepositWei: options.deposit,
    paymasterStakeWei: options.stake,
  });
  const { paymasterStake } = report;
  if (paymaster && paymasterStake < options.stake)
    io.note(
      `The paymaster has a stake of ${formatEther(paymasterStake)} ETH: its owner must add the rest by addStake.`,
    );
  const priceTxHash = paymaster && (await storePrice(options, wallet));
  io.out(toJson({ ...report, priceTxHash: priceTxHash ?? null }));
}

/** @returns `undefined` while the stored price is not in the last tenth of its life */
async function storePrice(options: CommonOptions, wallet: ReturnType<typeof walletOf>) {
  const reader = readerOf(options);
  const { paymaster } = await addressesOf(options);
  const [{ refreshAt }, { timestamp }] = await Promise.all([
    readPaymaster(reader, paymaster),
    reader.getBlock(),
  ]);
  return timestamp < refreshAt ? undefined : updatePaymasterPrice(wallet, reader, paymaster);
}

async function readPaymaster(reader: ReturnType<typeof readerOf>, address: Address) {
  const paymaster = { address, abi: usdcPaymasterAbi } as const;
  const [info, owner, pauser, terms] = await Promise.all([
    reader.readContract({
      address: entryPointDeployment.address,
      abi: entryPointV08Abi,
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

const readerOf = ({ rpc }: CommonOptions) => createPublicClient({ transport: http(rpc) });

function walletOf({ rpc }: CommonOptions, env: NodeJS.ProcessEnv) {
  const key = env[keyVariable];
  if (!isHex(key) || size(key) !== 32)
    throw new Error(`Set ${keyVariable} to the key of the sender: 0x and 64 hex digits.`);
  return createWalletClient({ account: privateKeyToAccount(key), transport: http(rpc) });
}

async function addressesOf(options: CommonOptions): Promise<ContractAddresses> {
  const { paymaster } = options;
  if (paymaster) return { ...walletContracts, paymaster };
  return contractAddresses(await readerOf(options).getChainId(), rolesOf(options));
}

function rolesOf({ owner, pauser }: CommonOptions): PaymasterRoles {
  if (!owner) throw new Error('Give --owner: the owner of our paymaster at its deployment, e.g. a Safe.');
  return { owner, ...(pauser && { pauser }) };
}

function parseAddress(text: string): Address {
  if (!isAddress(text, { strict: false })) throw new InvalidArgumentError('Write 0x and 40 hex digits.');
  return getAddress(text);
}

function parseAmount(text: string): bigint {
  if (!/^\d+(\.\d{1,18})?$/.test(text)) throw new InvalidArgumentError('Write an amount of ether, e.g. 0.1.');
  return parseEther(text);
}

const toJson = (value: unknown) =>
  JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? item.toString() : item), 2);
