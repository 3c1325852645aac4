import { decodeFunctionResult, encodeFunctionData, erc20Abi, erc4626Abi, type Address, type Hex } from 'viem';
import { chainedReadsAbi, chainedReadsBytecode } from '../src/index.js';
import { encode } from './support/calls.js';
import { operator, useTestChain } from './support/chain.js';
import { deployToken, deployVault, mint, placeCode } from './support/vaults.js';

const readGas = 1_000_000n;
const gas = 30_000_000n;
// JUMPDEST PUSH0 JUMP: burns all gas.
const endlessCode = '0x5b5f56';
// Returns or reverts with 100,000 bytes.
const longAnswerCode = '0x620186a05ff3';
const longRevertCode = '0x620186a05ffd';

describe('ChainedReads', () => {
  const chain = useTestChain();
  let vault: Address;
  beforeAll(async () => {
    const token = await deployToken(chain);
    vault = await deployVault(chain, token);
    await mint(chain, token, operator.address, 1_000_000n);
    await chain.write(token, erc20Abi, 'approve', [vault, 1_000_000n]);
    await chain.write(vault, erc4626Abi, 'deposit', [1_000_000n, operator.address]);
    // A share is worth two from here on.
    await mint(chain, token, vault, 1_000_000n);
  });

  const place = (code: Hex) => placeCode(chain, code);
  const read = (target: Address, callData: Hex, chained = {}) => ({
    target,
    callData,
    gasLimit: readGas,
    source: 0n,
    numerator: 1n,
    denominator: 1n,
    ...chained,
  });
  const balance = (owner: Address) => read(vault, encode(erc20Abi, 'balanceOf', [owner]));
  const preview = (functionName: 'previewRedeem' | 'previewDeposit', chained: object) =>
    read(vault, encode(erc4626Abi, functionName, [0n]), chained);
  const request = async (...reads: ReturnType<typeof read>[]) => {
    const call = { abi: chainedReadsAbi, functionName: 'read' } as const;
    const data = encodeFunctionData({ ...call, args: [reads] });
    const response = await chain.client.call({ code: chainedReadsBytecode, data, gas });
    const responses = decodeFunctionResult({ ...call, data: response.data! });
    return responses.map(({ success, returned }) =>
      success && returned.length === 66 ? BigInt(returned) : { success, size: (returned.length - 2) / 2 },
    );
  };

  it('default: a part of a balance, its worth in assets, and the shares these buy', async () => {
    const part = { source: 1n, numerator: 1n, denominator: 4n };
    expect(
      await request(
        balance(operator.address),
        preview('previewRedeem', part),
        preview('previewDeposit', { source: 2n }),
      ),
    ).toEqual([1_000_000n, 499_999n, 249_999n]);
  });

  it('behavior: a read that burns all it gets takes no other with it', async () => {
    const endless = read(await place(endlessCode), '0x');
    const failed = { success: false, size: 0 };
    expect(await request(endless, endless, balance(operator.address), endless)).toEqual([
      ...[failed, failed, 1_000_000n, failed],
    ]);
  });

  it('behavior: long answers are cut short', async () => {
    const responses = await request(
      ...[read(await place(longAnswerCode), '0x'), read(await place(longRevertCode), '0x')],
      balance(operator.address),
    );
    expect(responses).toEqual([{ success: true, size: 1024 }, { success: false, size: 1024 }, 1_000_000n]);
  });

  it('behavior: reads that depend on a failed read are skipped', async () => {
    const nobody = read('0x00000000000000000000000000000000000000ff', '0x');
    const responses = await request(
      ...[read(await place('0x5f5ffd'), '0x'), preview('previewRedeem', { source: 1n })],
      ...[nobody, preview('previewRedeem', { source: 3n }), preview('previewDeposit', { source: 4n })],
    );
    expect(responses).toEqual([
      { success: false, size: 0 },
      { success: false, size: 0 },
      { success: true, size: 0 },
      { success: false, size: 0 },
      { success: false, size: 0 },
    ]);
  });
});
