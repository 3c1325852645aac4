import {
  BaseError,
  ContractFunctionRevertedError,
  encodeAbiParameters,
  encodeFunctionData,
  hashTypedData,
  keccak256,
  maxUint256,
  numberToHex,
  parseSignature,
  serializeSignature,
  toHex,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import { localOperator, localUsdcAbi } from '../src/local-chain/index.js';
import { devAccount, startProvisionedChain, type ProvisionedChain } from './local-chain-client.js';

const holder = devAccount(1);
const other = devAccount(2);
const never = maxUint256;

// Tests of payments, forks and setups show that it moves, mints, permits, pauses and asks contract wallets.
describe('LocalUsdc', () => {
  const chainId = 8453;
  let chain: ProvisionedChain;
  let usdc: Address;
  let snapshot: Hex;
  beforeAll(async () => {
    chain = await startProvisionedChain(chainId);
    usdc = chain.addresses.usdc;
    await chain.mintUsdc(holder.address, 1_000n);
  });
  afterAll(async () => {
    await chain.stop();
  });
  beforeEach(async () => {
    snapshot = await chain.client.snapshot();
  });
  afterEach(async () => {
    await chain.client.revert({ id: snapshot });
  });

  const domain = () => ({ name: 'USD Coin', version: '2', chainId, verifyingContract: usdc });
  const balanceOf = (account: Address) => chain.read(usdc, localUsdcAbi, 'balanceOf', [account]);

  type Name = Parameters<typeof encodeFunctionData<typeof localUsdcAbi>>[0]['functionName'];
  const encode = (functionName: Name, ...args: unknown[]): Hex =>
    encodeFunctionData({ abi: localUsdcAbi, functionName, args } as never);

  async function send(from: Address, data: Hex) {
    if (from === localOperator) return chain.asOperator({ to: usdc, data });
    const hash = await chain.client.sendTransaction({ account: from, chain: null, to: usdc, data });
    const receipt = await chain.client.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`reverted: ${hash}`);
    return receipt;
  }

  async function reasonOf(from: Address, functionName: Name, ...args: unknown[]) {
    try {
      await chain.client.simulateContract({
        account: from,
        address: usdc,
        abi: localUsdcAbi,
        functionName,
        args,
      } as never);
    } catch (error) {
      const revert =
        error instanceof BaseError
          ? error.walk((cause) => cause instanceof ContractFunctionRevertedError)
          : null;
      if (revert instanceof ContractFunctionRevertedError) return revert.reason;
      throw error;
    }
    throw new Error(`${functionName} did not revert`);
  }

  const permitTypes = {
    Permit: [
      { name: 'owner', type: 'address' },
      { name: 'spender', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'nonce', type: 'uint256' },
      { name: 'deadline', type: 'uint256' },
    ],
  } as const;
  const authorizationFields = [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ] as const;

  const signPermit = (value: bigint, deadline = never, nonce = 0n) =>
    holder.signTypedData({
      domain: domain(),
      types: permitTypes,
      primaryType: 'Permit',
      message: { owner: holder.address, spender: other.address, value, nonce, deadline },
    });

  function authorization(overrides: { validAfter?: bigint; validBefore?: bigint } = {}) {
    const message = {
      from: holder.address,
      to: other.address,
      value: 100n,
      validAfter: 0n,
      validBefore: never,
      nonce: keccak256(toHex('nonce')),
      ...overrides,
    };
    const sign = (primaryType = 'TransferWithAuthorization') =>
      holder.signTypedData({
        domain: domain(),
        types: { [primaryType]: authorizationFields },
        primaryType,
        message,
      } as never);
    const args = [
      message.from,
      message.to,
      message.value,
      message.validAfter,
      message.validBefore,
      message.nonce,
    ];
    return { args, sign };
  }

  const highS = (signature: Hex): Hex => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const { r, s, v } = parseSignature(signature);
    return serializeSignature({
      r,
      s: numberToHex(order - BigInt(s), { size: 32 }),
      v: v === 27n ? 28n : 27n,
    });
  };

  describe('identity and storage', () => {
    it('default: name, symbol, version, decimals and domain separator of USD Coin', async () => {
      const read = (functionName: 'name' | 'symbol' | 'version' | 'decimals' | 'DOMAIN_SEPARATOR') =>
        chain.read(usdc, localUsdcAbi, functionName);
      expect(await Promise.all((['name', 'symbol', 'version', 'decimals'] as const).map(read))).toEqual([
        'USD Coin',
        'USDC',
        '2',
        6,
      ]);
      const digest = hashTypedData({
        domain: domain(),
        types: { Empty: [] },
        primaryType: 'Empty',
        message: {},
      } as never);
      const struct = keccak256(keccak256(toHex('Empty()')));
      const separator = (await read('DOMAIN_SEPARATOR')) as Hex;
      expect(keccak256(`0x1901${separator.slice(2)}${struct.slice(2)}`)).toBe(digest);
    });

    it('behavior: the balance lies in slot 9, with the blacklist flag as its highest bit', async () => {
      const slot = keccak256(
        encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [holder.address, 9n]),
      );
      await send(localOperator, encode('blacklist', holder.address));
      const word = await chain.client.getStorageAt({ address: usdc, slot });
      expect(BigInt(word ?? '0x')).toBe((1n << 255n) + 1_000n);
      expect(await balanceOf(holder.address)).toBe(1_000n);
    });

    it('behavior: the masterMinter lies in slot 8 and the supply in slot 11', async () => {
      const word = async (slot: number) =>
        BigInt((await chain.client.getStorageAt({ address: usdc, slot: numberToHex(slot) })) ?? '0x');
      expect(await word(8)).toBe(BigInt(localOperator));
      const supply = await chain.read(usdc, localUsdcAbi, 'totalSupply');
      expect(await word(11)).toBe(supply);
    });
  });

  describe('transfers', () => {
    it.each<[holder: boolean, name: Name, args: unknown[], reason: string]>([
      [true, 'transfer', [other.address, 1_001n], 'ERC20: transfer amount exceeds balance'],
      [true, 'transfer', [zeroAddress, 1n], 'ERC20: transfer to the zero address'],
      [true, 'approve', [zeroAddress, 1n], 'ERC20: approve to the zero address'],
      [
        false,
        'transferFrom',
        [holder.address, other.address, 1n],
        'ERC20: transfer amount exceeds allowance',
      ],
      [false, 'mint', [other.address, 1n], 'FiatToken: caller is not a minter'],
      [false, 'configureMinter', [other.address, 1n], 'FiatToken: caller is not the masterMinter'],
      [false, 'blacklist', [other.address], 'Blacklistable: caller is not the blacklister'],
      [false, 'pause', [], 'Pausable: caller is not the pauser'],
    ])('error: the reasons of the original (%s, %s)', async (isHolder, name, args, reason) => {
      expect(await reasonOf((isHolder ? holder : other).address, name, ...args)).toBe(reason);
    });
  });

  describe('blacklist and pause', () => {
    it('behavior: a blacklisted account neither sends nor receives, and approves all the same', async () => {
      await send(localOperator, encode('blacklist', holder.address));
      const reason = 'Blacklistable: account is blacklisted';
      expect(await reasonOf(holder.address, 'transfer', other.address, 1n)).toBe(reason);
      expect(await reasonOf(other.address, 'transfer', holder.address, 0n)).toBe(reason);
      await send(holder.address, encode('approve', other.address, 1n));
      expect(await reasonOf(other.address, 'transferFrom', holder.address, other.address, 1n)).toBe(reason);
      await send(localOperator, encode('unBlacklist', holder.address));
      await send(holder.address, encode('transfer', other.address, 1n));
    });
  });

  describe('permit', () => {
    it('error: used, expired, foreign, malleable and short signatures', async () => {
      const signature = await signPermit(5n);
      const permit = (value: bigint, deadline: bigint, bytes: Hex) =>
        reasonOf(other.address, 'permit', holder.address, other.address, value, deadline, bytes);
      expect(await permit(6n, never, signature)).toBe('EIP2612: invalid signature');
      expect(await permit(5n, 1n, await signPermit(5n, 1n))).toBe('FiatTokenV2: permit is expired');
      expect(await permit(5n, never, highS(signature))).toBe("ECRecover: invalid signature 's' value");
      expect(await permit(5n, never, '0x1234')).toBe('ECRecover: invalid signature length');
      await send(other.address, encode('permit', holder.address, other.address, 5n, never, signature));
      expect(await permit(5n, never, signature)).toBe('EIP2612: invalid signature');
    });
  });

  describe('authorizations', () => {
    it('error: too early, too late, and of another type', async () => {
      const { timestamp } = await chain.client.getBlock();
      const relay = async (overrides: object, type?: string) => {
        const { args, sign } = authorization(overrides);
        return reasonOf(other.address, 'transferWithAuthorization', ...args, await sign(type));
      };
      const early = { validAfter: timestamp + 1_000n };
      expect(await relay(early)).toBe('FiatTokenV2: authorization is not yet valid');
      expect(await relay({ validBefore: timestamp })).toBe('FiatTokenV2: authorization is expired');
      expect(await relay({}, 'ReceiveWithAuthorization')).toBe('FiatTokenV2: invalid signature');
    });
  });
});
