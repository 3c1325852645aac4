import { type Hex, type PrivateKeyAccount, concatHex, erc20Abi } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { localUsdcAbi } from '../generated/LocalUsdc.js';
import {
  buildUserOp,
  configuredAgent,
  delegate,
  executorCall,
  max,
  approvePaymasterHook,
  signUserOp,
  singleCall,
  usdcPaymasterAndData,
} from '../support/account.js';
import { bundle, operationNonce, usdcFor, watch } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { type TestChain, localContracts, startTestChain } from '../support/chain.js';
import { signFirstOperation } from '../support/first-operation.js';
import { permitData, poke, signPermit } from '../support/paymaster.js';
import { handleOpsRevert } from '../support/reverts.js';

const { paymaster } = localContracts;
const value = 20_000_000n;
const funds = 1_000_000_000n;
const nothing = { usdc: 0n, wei: 0n, deposit: 0n };

describe('attack: somebody uses the permit of an operation first', () => {
  let chain: TestChain;
  let attacker: PrivateKeyAccount;
  let victim: PrivateKeyAccount;
  beforeAll(async () => {
    chain = await startTestChain();
    attacker = await configuredAgent(chain);
  });
  afterAll(() => chain.stop());
  // Delegated, with USDC and without an allowance.
  beforeEach(async () => {
    victim = await chain.agent();
    await delegate(chain, victim, '0x');
    await chain.setUsdc(victim.address, funds);
  });

  const allowance = (spender = paymaster) =>
    chain.read(chain.usdc, erc20Abi, 'allowance', [victim.address, spender]);
  const permitCall = (signature: Hex, amount = value) =>
    encode(localUsdcAbi, 'permit', [victim.address, paymaster, amount, max, signature]);
  const use = async (signature: Hex, amount = value) => {
    const data = permitCall(signature, amount);
    const receipt = await chain.mined(
      chain.walletOf(attacker).sendTransaction({ to: chain.usdc, data, gas: 200_000n }),
    );
    expect(receipt.status).toBe('success');
  };
  const withPermit = (signature: Hex) =>
    poke(chain, victim, {
      paymasterAndData: concatHex([usdcPaymasterAndData(200_000n), permitData(chain, value, signature)]),
    });

  it('gets nothing for it, and the operation runs for no more than it would cost', async () => {
    const signature = await signPermit(chain, victim, value);
    const userOp = await withPermit(signature);
    const snapshot = await chain.node.snapshot();
    const plain = (await bundle(chain, attacker, [userOp])).outcomes[0]!;
    await chain.node.revert({ id: snapshot });

    const gains = await watch(chain, { attacker: attacker.address, victim: victim.address, paymaster });
    await use(signature);
    // The allowance is the paymaster's, and the paymaster takes only from who signed an operation.
    const take = encode(erc20Abi, 'transferFrom', [victim.address, attacker.address, 1n]);
    const { outcomes: stolen } = await bundle(chain, attacker, [
      await signUserOp(
        chain,
        attacker,
        await buildUserOp(chain, attacker.address, singleCall(chain.usdc, take)),
      ),
    ]);
    expect(stolen).toMatchObject([{ success: false }]);
    expect((await gains()).victim).toEqual(nothing);
    expect((await gains()).attacker.usdc).toBe(-stolen[0]!.charged!);

    const { outcomes } = await bundle(chain, attacker, [userOp]);
    expect(outcomes).toMatchObject([{ sender: victim.address, success: true }]);
    const { charged, billed, rate } = outcomes[0]!;
    expect((await gains()).victim.usdc).toBe(-charged!);
    expect(charged).toBeLessThanOrEqual(plain.charged!);
    expect(charged).toBeGreaterThanOrEqual(usdcFor(billed, rate!));
  });

  it('before the wallet has code: its first operation runs all the same', async () => {
    victim = privateKeyToAccount(generatePrivateKey());
    await chain.setUsdc(victim.address, funds);
    const callData = executorCall(approvePaymasterHook(9n));
    const { userOp } = await signFirstOperation(chain, victim, callData, value);
    await use(await signPermit(chain, victim, value));
    expect(await allowance()).toBe(value);
    const authorization = await chain
      .walletOf(victim)
      .signAuthorization({ contractAddress: localContracts.account });
    const gains = await watch(chain, { victim: victim.address });
    const { outcomes } = await bundle(chain, attacker, [userOp], 8_000_000n, [authorization]);
    expect(outcomes).toMatchObject([{ sender: victim.address, success: true }]);
    expect((await gains()).victim.usdc).toBe(-outcomes[0]!.charged!);
    expect(await allowance()).toBe(9n);
  });

  it('another permit of the same nonce: the operation is refused at no cost, and stands', async () => {
    const userOp = await withPermit(await signPermit(chain, victim, value));
    await use(await signPermit(chain, victim, 1n), 1n);
    const gains = await watch(chain, { victim: victim.address, paymaster });
    expect(await handleOpsRevert(chain, userOp)).toEqual(['AA34 signature error']);
    expect((await bundle(chain, attacker, [userOp])).receipt.status).toBe('reverted');
    expect(await gains()).toEqual({ victim: nothing, paymaster: nothing });
    expect(await operationNonce(chain, userOp)).toBe(userOp.nonce);
    await use(await signPermit(chain, victim, value, { nonce: 1n }));
    expect((await bundle(chain, attacker, [userOp])).outcomes).toMatchObject([{ success: true }]);
  });

  it('a permit that was left over, inside the bundle: it sets an allowance that the attacker cannot use', async () => {
    const signature = await signPermit(chain, victim, value);
    await chain.write(chain.usdc, erc20Abi, 'approve', [paymaster, value], victim);
    const userOp = await poke(chain, victim);
    const using = await signUserOp(
      chain,
      attacker,
      await buildUserOp(chain, attacker.address, singleCall(chain.usdc, permitCall(signature))),
    );
    const gains = await watch(chain, { attacker: attacker.address, victim: victim.address, paymaster });
    const { outcomes } = await bundle(chain, await chain.agent(), [using, userOp]);
    expect(outcomes.map(({ success }) => success)).toEqual([true, true]);
    const [own, other] = outcomes.map(({ charged }) => charged!);
    expect(await gains()).toMatchObject({
      attacker: { usdc: -own! },
      victim: { usdc: -other! },
      paymaster: { usdc: own! + other! },
    });
    expect([await allowance(), await allowance(attacker.address)]).toEqual([value, 0n]);
  });

  it('the attacker pays for its own operation with the permit of the victim: it cannot', async () => {
    const poor = await chain.agent();
    await delegate(chain, poor, '0x');
    const signature = await signPermit(chain, victim, value);
    const data = concatHex([usdcPaymasterAndData(200_000n), permitData(chain, value, signature)]);
    const gains = await watch(chain, { victim: victim.address, paymaster });
    for (const isUsed of [false, true]) {
      if (isUsed) await use(signature);
      const userOp = await poke(chain, poor, { paymasterAndData: data });
      expect(await handleOpsRevert(chain, userOp)).toEqual(['AA34 signature error']);
    }
    expect(await gains()).toEqual({ victim: nothing, paymaster: nothing });
  });
});
