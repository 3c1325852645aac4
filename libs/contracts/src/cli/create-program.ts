import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  getAddress,
  http,
  isAddress,
  isHex,
  parseEther,
  size,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type ContractAddresses, contractAddresses, entryPointDeployment, walletContracts } from '../address-book.js';
import { deployContracts } from '../deploy-contracts.js';
import { entryPointV08Abi } from '../generated/EntryPointV08.js';
import { usdcPaymasterAbi } from '../generated/UsdcPaymaster.js';
import { inspectContracts } from '../inspect-contracts.js';
import { updatePaymasterPrice } from '../paymaster-price.js';

/** The output of a command: results, and notes on the way. */
export interface CliIo {
  out(text: string): void;
  note(text: string): void;
}

interface CommonOptions {
  readonly rpc: string;
  readonly owner?: Address;
  readonly paymaster?: Address;
}

interface DeployOptions extends CommonOptions {
  readonly deposit: bigint;
  readonly stake: bigint;
}

type RefreshOptions = Pick<CommonOptions, 'rpc' | 'owner'> & { readonly every?: number };

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
      .option('--owner <address>', 'owner of our paymaster; the address of the key by default', parseAddress);
  const other = ['--paymaster <address>', 'a third-party paymaster in place of ours', parseAddress] as const;

  add('inspect', 'compare the contracts with this package; exit code 1 when one is missing or different')
    .option(...other)
    .action(async (options: CommonOptions) => {
      if (!(await inspect(options, io, env))) process.exitCode = 1;
    });
  add('deploy', 'deploy what is missing, fund our paymaster and store its first price; safe to repeat')
    .option(...other)
    .option('--deposit <ether>', 'least deposit of our paymaster', parseAmount, parseEther('0.1'))
    .option('--stake <ether>', 'least stake of our paymaster', parseAmount, parseEther('1'))
    .action((options: DeployOptions) => deploy(options, io, env));
  add('refresh-price', "store the present price of our paymaster's feeds; anyone may")
    .option(
      '--every <seconds>',
      'go on, and refresh when half of the life of the price is over',
      parseSeconds,
    )
    .action((options: RefreshOptions) => refreshPrice(options, io, env));
  return program;
}

async function inspect(options: CommonOptions, io: CliIo, env: NodeJS.ProcessEnv): Promise<boolean> {
  const reader = readerOf(options);
  const addresses = await addressesOf(options, reader, env);
  const paymaster = options.paymaster ? 'other' : 'own';
  const contracts = await inspectContracts(reader, addresses, { paymaster });
  const isOk = contracts.every(({ status }) => status === 'ok');
  const funds = isOk && paymaster === 'own' ? await readPaymaster(reader, addresses.paymaster) : undefined;
  io.out(toJson({ contracts, paymaster: funds }));
  return isOk;
}

async function deploy(options: DeployOptions, io: CliIo, env: NodeJS.ProcessEnv): Promise<void> {
  const reader = readerOf(options);
  const wallet = walletOf(options, env);
  const report = await deployContracts(wallet, reader, {
    ...(!options.paymaster && { paymaster: { owner: ownerOf(options, env) } }),
    paymasterDepositWei: options.deposit,
    paymasterStakeWei: options.stake,
  });
  const { paymaster } = await addressesOf(options, reader, env);
  const priceTxHash = options.paymaster ? undefined : await refreshOnce(options, wallet, paymaster);
  io.out(toJson({ ...report, priceTxHash: priceTxHash ?? null }));
}

async function refreshPrice(options: RefreshOptions, io: CliIo, env: NodeJS.ProcessEnv): Promise<void> {
  const wallet = walletOf(options, env);
  const { paymaster } = await addressesOf(options, readerOf(options), env);
  if (options.every === undefined) {
    io.out(toJson({ txHash: await updatePaymasterPrice(wallet, readerOf(options), paymaster) }));
    return;
  }
  for (;;) {
    try {
      const txHash = await refreshOnce(options, wallet, paymaster);
      if (txHash) io.out(toJson({ txHash }));
    } catch (error) {
      io.note(`not refreshed: ${(error as { shortMessage?: string }).shortMessage ?? String(error)}`);
    }
    await sleep(options.every * 1000);
  }
}

/** @returns `undefined` when the price is still in the first half of its life */
async function refreshOnce(
  options: Pick<CommonOptions, 'rpc'>,
  wallet: ReturnType<typeof walletOf>,
  paymaster: Address,
) {
  const reader = readerOf(options);
  const [[, , refreshAt], { timestamp }] = await Promise.all([
    reader.readContract({ address: paymaster, abi: usdcPaymasterAbi, functionName: 'terms' }),
    reader.getBlock(),
  ]);
  return timestamp < refreshAt ? undefined : updatePaymasterPrice(wallet, reader, paymaster);
}

async function readPaymaster(reader: ReturnType<typeof readerOf>, address: Address) {
  const [info, [usdcPerNative, validUntil, refreshAt, markupBps, operationCeiling]] = await Promise.all([
    reader.readContract({
      address: entryPointDeployment.address,
      abi: entryPointV08Abi,
      functionName: 'getDepositInfo',
      args: [address],
    }),
    reader.readContract({ address, abi: usdcPaymasterAbi, functionName: 'terms' }),
  ]);
  const { deposit, stake, unstakeDelaySec } = info;
  return { deposit, stake, unstakeDelaySec, usdcPerNative, validUntil, refreshAt, markupBps, operationCeiling };
}

const readerOf = ({ rpc }: Pick<CommonOptions, 'rpc'>) => createPublicClient({ transport: http(rpc) });

function walletOf({ rpc }: Pick<CommonOptions, 'rpc'>, env: NodeJS.ProcessEnv) {
  const account = accountOf(env);
  if (!account) throw new Error(`Set ${keyVariable} to the key of the sender: 0x and 64 hex digits.`);
  return createWalletClient({ account, transport: http(rpc) });
}

function accountOf(env: NodeJS.ProcessEnv) {
  const key = env[keyVariable];
  return isHex(key) && size(key) === 32 ? privateKeyToAccount(key) : undefined;
}

async function addressesOf(
  options: Pick<CommonOptions, 'owner' | 'paymaster'>,
  reader: ReturnType<typeof readerOf>,
  env: NodeJS.ProcessEnv,
): Promise<ContractAddresses> {
  const { paymaster } = options;
  if (paymaster) return { ...walletContracts, paymaster };
  return contractAddresses(await reader.getChainId(), { owner: ownerOf(options, env) });
}

function ownerOf({ owner }: Pick<CommonOptions, 'owner'>, env: NodeJS.ProcessEnv): Address {
  const address = owner ?? accountOf(env)?.address;
  if (!address)
    throw new Error(`Give --owner, or set ${keyVariable}: the address of the paymaster depends on the owner.`);
  return address;
}

function parseAddress(text: string): Address {
  if (!isAddress(text, { strict: false })) throw new InvalidArgumentError('Write 0x and 40 hex digits.');
  return getAddress(text);
}

function parseAmount(text: string): bigint {
  if (!/^\d+(\.\d{1,18})?$/.test(text)) throw new InvalidArgumentError('Write an amount of ether, e.g. 0.1.');
  return parseEther(text);
}

function parseSeconds(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Write whole seconds, e.g. 600.');
  return Number(text);
}

const toJson = (value: unknown) =>
  JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? item.toString() : item), 2);
