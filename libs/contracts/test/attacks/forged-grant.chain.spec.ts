import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  keccak256,
  pad,
  slice,
  toHex,
} from 'viem';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { yieldVaultAccountAbi } from '../../src/generated/YieldVaultAccount.js';
import { grantForgerAbi, grantForgerBytecode } from '../generated/GrantForger.js';
import { openModuleAbi, openModuleBytecode } from '../generated/OpenModule.js';
import {
  type PackedUserOperation,
  balanceOf,
  buildUserOp,
  configuredAgent,
  grantOf,
  usdcPaymasterAndData,
} from '../support/account.js';
import { handleOpsCall, nothing, watch } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { entryPoint, localContracts, useTestChain } from '../support/chain.js';
import { install, selfRevert, sendToSelf } from '../support/modules.js';
import { deployToken, mint } from '../support/vaults.js';

const { paymaster } = localContracts;
const million = 10n ** 12n;
const byDelegateCall: Hex = `0xff${'00'.repeat(31)}`;

describe('attack: an account writes itself a grant of a worthless token, and has its operation validated', () => {
  const chain = useTestChain();
  let attacker: PrivateKeyAccount;
  let forger: Address;
  let module: Address;
  let worthless: Address;
  beforeAll(async () => {
    attacker = await configuredAgent(chain, 0n);
    forger = await chain.deploy(grantForgerAbi, grantForgerBytecode);
    module = await chain.deploy(openModuleAbi, openModuleBytecode);
    worthless = await deployToken(chain);
    await mint(chain, worthless, attacker.address, million);
    // What the refund would be taken from.
    await chain.setUsdc(paymaster, million);
    await sendToSelf(chain, attacker, install(1n, module));
  });

  const build = (overrides: Partial<PackedUserOperation> = {}) =>
    buildUserOp(chain, attacker.address, '0x', overrides, { validator: module });
  const limits = slice(usdcPaymasterAndData(), 0, 52);

  /** The account runs the forger's code as its own, which then calls the entry point. */
  async function expectNothingGained(call: Hex, reason: readonly unknown[]) {
    const slot = concatHex([slice(keccak256(toHex('yieldvault.account.grant')), 20), paymaster]);
    const grant = BigInt(concatHex([worthless, pad(toHex(million), { size: 12 })]));
    const forge = encode(grantForgerAbi, 'forge', [slot, grant, entryPoint, call]);
    const data = encode(yieldVaultAccountAbi, 'execute', [byDelegateCall, concatHex([forger, forge])]);
    const gains = await watch(chain, { attacker: attacker.address, paymaster });
    expect((await selfRevert(chain, attacker, data)).slice(0, reason.length)).toEqual(reason);
    expect((await sendToSelf(chain, attacker, data)).status).toBe('reverted');
    expect(await gains()).toMatchObject({ attacker: { usdc: 0n }, paymaster: nothing });
    expect(await balanceOf(chain, worthless, paymaster)).toBe(0n);
  }

  it.each([
    ['the worthless token', () => grantOf(worthless, million)],
    ['another mark', () => concatHex(['0x00000000', slice(grantOf(chain.usdc, million), 4)])],
  ])(
    'with data that names %s, which the account would not note: the paymaster refuses it',
    async (_, data) => {
      const userOp = await build({ paymasterAndData: concatHex([limits, data()]) });
      const reason = ['AA33 reverted', 'PaymasterDataMalformed'];
      await expectNothingGained(handleOpsCall(attacker.address, userOp), reason);
    },
  );

  it('with a validator that names an aggregator: the account takes the forged grant back', async () => {
    const userOp = await build({ signature: pad(module, { size: 32 }) });
    const aggregated = [{ userOps: [userOp], aggregator: module, signature: '0x' }] as const;
    const call = encode(entryPointV08Abi, 'handleAggregatedOps', [aggregated, attacker.address]);
    await expectNothingGained(call, ['AA34 signature error']);
  });

  it('with a validator that accepts: the account notes the grant of the operation instead', async () => {
    // It would have to pay USDC, which it does not have.
    await expectNothingGained(handleOpsCall(attacker.address, await build()), ['AA34 signature error']);
  });
});
