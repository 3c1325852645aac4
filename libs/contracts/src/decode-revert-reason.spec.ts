import { createRequire } from 'node:module';
import { concat, encodeErrorResult, pad, parseAbi, toFunctionSelector, type Abi, type Hex } from 'viem';
import { decodeRevertReason } from './decode-revert-reason.js';

const require = createRequire(import.meta.url);
const address = '0x00000000000000000000000000000000000000aa';

function revert(signature: string, ...args: readonly unknown[]): Hex {
  const abi = parseAbi([`error ${signature}`] as readonly string[]);
  return encodeErrorResult({ abi, args } as Parameters<typeof encodeErrorResult>[0]);
}

describe('decodeRevertReason', () => {
  it.each([
    ['a token of OpenZeppelin', revert('ERC20InsufficientBalance(address,uint256,uint256)', address, 1n, 2n)],
    ['USDC', revert('Error(string)', 'ERC20: transfer amount exceeds balance')],
    ['a token of OpenZeppelin that burns', revert('Error(string)', 'ERC20: burn amount exceeds balance')],
    ['a token of Solady', revert('InsufficientBalance()')],
    ['DAI', revert('Error(string)', 'Dai/insufficient-balance')],
    ['a contract that sends ETH', revert('InsufficientBalance(uint256,uint256)', 1n, 2n)],
  ])('default: names the missing balance that %s reports', (_, data) => {
    expect(decodeRevertReason(data)).toBe('INSUFFICIENT_BALANCE');
  });

  it.each([
    revert('ERC20InsufficientAllowance(address,uint256,uint256)', address, 1n, 2n),
    revert('Error(string)', 'ERC20: transfer amount exceeds allowance'),
    revert('Error(string)', 'ERC20: insufficient allowance'),
  ])('behavior: names the missing allowance', (data) => {
    expect(decodeRevertReason(data)).toBe('INSUFFICIENT_ALLOWANCE');
  });

  it.each([
    ['PostOpGasLimitTooLow', revert('PostOpGasLimitTooLow(uint256,uint256)', 6_734n, 35_000n)],
    ['MalformedPaymasterData', revert('MalformedPaymasterData()')],
    ['UnsupportedToken', revert('UnsupportedToken(address)', address)],
  ])('behavior: names the error of Circle’s paymaster: %s', (name, data) => {
    expect(decodeRevertReason(data)).toBe(name);
  });

  it.each([
    'Blacklistable: account is blacklisted',
    'Pausable: paused',
    'FiatToken: caller is not a minter',
    'ERC4626: deposit more than max',
  ])('behavior: gives the words of a require: %s', (text) => {
    expect(decodeRevertReason(revert('Error(string)', text))).toBe(text);
  });

  it.each([
    'ERC20',
    'ERC20Permit',
    'ERC20Pausable',
    'ERC4626',
    'Pausable',
    'Ownable',
    'AccessControl',
    'ReentrancyGuard',
    'SafeERC20',
    'Address',
    'SafeCast',
    'Initializable',
  ])('behavior: names every error of %s of OpenZeppelin', (contract) => {
    const { abi } = require(`@openzeppelin/contracts/build/contracts/${contract}.json`) as { abi: Abi };
    const errors = abi.filter((item) => item.type === 'error');
    expect(errors.length).toBeGreaterThan(0);
    for (const { name, inputs } of errors) {
      // Metadata of EIP-712 domains: raised by constructors alone.
      if (name === 'StringTooLong' || name === 'InvalidShortString') continue;
      const data = concat([
        toFunctionSelector(`${name}(${inputs.map(({ type }) => type).join(',')})`),
        ...inputs.map(() => pad('0x01', { size: 32 })),
      ]);
      expect([name, /^0x|^NO_REASON$/.test(decodeRevertReason(data))]).toEqual([name, false]);
    }
  });

  it.each(['ExecutorNotDelegated()', 'PaymasterDataMalformed()', 'AccountNotDelegated()'])(
    'behavior: names an error of our contracts: %s',
    (signature) => {
      expect(decodeRevertReason(revert(signature))).toBe(signature.slice(0, -2));
    },
  );

  it('behavior: names a custom error of our contracts and of a vault', () => {
    expect(decodeRevertReason(revert('MinSharesNotMet(uint256,uint256)', 2n, 1n))).toBe('MinSharesNotMet');
    expect(
      decodeRevertReason(revert('ERC4626ExceededMaxDeposit(address,uint256,uint256)', address, 2n, 1n)),
    ).toBe('ERC4626ExceededMaxDeposit');
  });

  it.each(['E_SupplyCapExceeded()', 'AllCapsReached()', 'CannotReceiveShares()', 'DepositMoreThanMax()'])(
    'behavior: names what a vault of the field reverts with: %s',
    (signature) => {
      expect(decodeRevertReason(revert(signature))).toBe(signature.slice(0, -2));
    },
  );

  it('behavior: unwraps reasons that the entry point wraps', () => {
    const data = revert('MinAssetsNotMet(uint256,uint256)', 2n, 1n);
    expect(decodeRevertReason(revert('PostOpReverted(bytes)', data))).toBe('MinAssetsNotMet');
    expect(
      decodeRevertReason(revert('FailedOpWithRevert(uint256,string,bytes)', 0n, 'AA23 reverted', data)),
    ).toBe('MinAssetsNotMet');
    expect(
      decodeRevertReason(revert('FailedOpWithRevert(uint256,string,bytes)', 0n, 'AA23 reverted', '0x')),
    ).toBe('AA23 reverted');
    expect(
      decodeRevertReason(
        revert('WrappedError(address,bytes4,bytes,bytes)', address, '0x01020304', data, '0x'),
      ),
    ).toBe('MinAssetsNotMet');
    expect(decodeRevertReason(revert('FailedOp(uint256,string)', 0n, 'AA24 signature error'))).toBe(
      'AA24 signature error',
    );
  });

  it.each([
    ['Error(string)', ['\u202ehi\u0000']],
    ['FailedOp(uint256,string)', [0n, '\u202ehi\u0000']],
    ['FailedOpWithRevert(uint256,string,bytes)', [0n, '\u202ehi\u0000', '0x']],
  ])('attack: the text of %s is readable', (signature, args) => {
    expect(decodeRevertReason(revert(signature, ...args))).toBe('\uFFFDhi\uFFFD');
  });

  it('attack: gives up on hundreds of wrapped errors', () => {
    let data = revert('MinAssetsNotMet(uint256,uint256)', 2n, 1n);
    for (let level = 0; level < 300; level++) data = revert('PostOpReverted(bytes)', data);
    expect(decodeRevertReason(data)).toMatch(/^0x[0-9a-f]{8}$/);
  });

  it('behavior: names a panic', () => {
    expect(decodeRevertReason(revert('Panic(uint256)', 17n))).toBe('PANIC_0x11');
  });

  it('behavior: unknown errors, cut arguments and empty data', () => {
    expect(decodeRevertReason('0xdeadbeef')).toBe('0xdeadbeef');
    expect(
      decodeRevertReason(revert('MinSharesNotMet(uint256,uint256)', 2n, 1n).slice(0, 20) as Hex),
    ).toMatch(/^0x[0-9a-f]{8}$/);
    expect(decodeRevertReason('0xab')).toBe('NO_REASON');
    expect(decodeRevertReason('0x')).toBe('NO_REASON');
  });
});
