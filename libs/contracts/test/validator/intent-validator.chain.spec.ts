import {
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  getAddress,
  hashTypedData,
  hexToBytes,
  keccak256,
  numberToHex,
  parseSignature,
  slice,
  stringToHex,
  zeroHash,
} from 'viem';
import { entryPointV08Abi, entryPointV08Bytecode } from '../../src/generated/EntryPointV08.js';
import { intentValidatorAbi, intentValidatorBytecode } from '../../src/generated/IntentValidator.js';
import { yieldVaultAccountAbi, yieldVaultAccountBytecode } from '../../src/generated/YieldVaultAccount.js';
import {
  type PackedUserOperation,
  buildUserOp,
  configuredAgent,
  delegate,
  farFuture,
  hashUserOp,
  intentTypedData,
  leafOf,
  packSignature,
  signHash,
  signUserOp,
  singleCall,
  usdcPaymasterAndData,
} from '../support/account.js';
import { expectRefused, expectRuns, handleOps, handleOpsCall } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { entryPoint, localContracts, operator, undone, useTestChain } from '../support/chain.js';
import { install, sendToSelf } from '../support/modules.js';
import { now, poke } from '../support/paymaster.js';
import { handleOpsRevert, revertOf } from '../support/reverts.js';

const { validator, executor, paymaster } = localContracts;
const signatureError = ['AA24 signature error'];
const usedNonce = ['AA25 invalid account nonce'];
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const sibling = keccak256('0x1234');

describe('IntentValidator', () => {
  const chain = useTestChain(8453);
  const otherChain = useTestChain(1);
  let agent: PrivateKeyAccount;
  beforeAll(async () => {
    agent = await configuredAgent(chain);
  });

  const build = (sender = agent.address, module = validator) =>
    buildUserOp(chain, sender, singleCall(operator.address, '0x', 1n), {}, { validator: module });
  const runs = async (userOp: PackedUserOperation) =>
    expect((await handleOps(chain, userOp)).outcome).toMatchObject({ success: true });
  const refused = async (userOp: PackedUserOperation, reason: readonly unknown[] = signatureError) =>
    expect(await handleOpsRevert(chain, userOp)).toEqual(reason);
  const signedBy = (owner: PrivateKeyAccount) => poke(chain, owner);
  /** Response of the module to the account. */
  const validate = (userOp: PackedUserOperation, hash: Hex) =>
    chain.read(validator, intentValidatorAbi, 'validateUserOp', [userOp, hash]);

  describe('validateUserOp', () => {
    it('default: one signature over a tree covers each of its leaves, once', async () => {
      const first = await build();
      const second = { ...first, nonce: first.nonce + 1n };
      const [one, two] = [await hashUserOp(chain, first), await hashUserOp(chain, second)];
      const rest = [sibling, keccak256('0x5678')];
      const proof = [leafOf(two, farFuture, 0), ...rest];
      const signature = await signHash(chain, agent, one, { proof });
      const proofOfSecond = [leafOf(one, farFuture, 0), ...rest];
      const other = packSignature(farFuture, 0, slice(signature, 12, 77), proofOfSecond);
      await runs({ ...first, signature });
      await refused({ ...first, signature }, usedNonce);
      await runs({ ...second, signature: other });
      // The signature of one is none for another.
      await refused({ ...second, nonce: second.nonce + 1n, signature: other });
    });

    it('behavior: returns the window in full width', async () => {
      const userOp = await build();
      const hash = await hashUserOp(chain, userOp);
      for (const [expiry, validAfter] of [
        [farFuture, 7],
        [2 ** 47, 0],
        [2 ** 48 - 1, 2 ** 48 - 1],
      ] as const) {
        const signature = await signHash(chain, agent, hash, { expiry, validAfter });
        const expected = (BigInt(validAfter) << 208n) | (BigInt(expiry) << 160n);
        expect(await validate({ ...userOp, signature }, hash)).toBe(expected);
      }
    });

    it('behavior: the entry point enforces the window', async () => {
      const time = Number(await now(chain));
      for (const window of [{ expiry: time - 1 }, { validAfter: time + 1_000 }]) {
        const signed = await signUserOp(chain, agent, await build(), window);
        await refused(signed, ['AA22 expired or not due']);
      }
    });

    it('attack: an expiry of zero never means for ever', async () => {
      const userOp = await build();
      const signed = await signUserOp(chain, agent, userOp, { expiry: 0 });
      expect(await validate(signed, await hashUserOp(chain, userOp))).toBe(1n);
      await refused(signed);
    });

    it('attack: neither the window nor a field of the operation can be changed after signing', async () => {
      const signed = await signUserOp(chain, agent, await build(), { expiry: farFuture, validAfter: 5 });
      const window = (expiry: number, validAfter: number) =>
        packSignature(expiry, validAfter, slice(signed.signature, 12));
      const changes: readonly Partial<PackedUserOperation>[] = [
        { signature: window(farFuture + 1, 5) },
        { signature: window(farFuture, 4) },
        { paymasterAndData: '0x' },
        { paymasterAndData: usdcPaymasterAndData(120_001n) },
        { callData: singleCall(operator.address, '0x', 2n) },
        { preVerificationGas: signed.preVerificationGas + 1n },
        { gasFees: concatHex([slice(signed.gasFees, 0, 31), '0x01']) },
        { accountGasLimits: concatHex([slice(signed.accountGasLimits, 0, 31), '0x01']) },
      ];
      for (const change of changes) await refused({ ...signed, ...change });
    });

    it('attack: replay in the same bundle, and of a used operation', async () => {
      const signed = await signedBy(agent);
      await expectRefused(chain, operator, [signed, signed], usedNonce);
      await runs(signed);
      await expectRefused(chain, operator, [signed], usedNonce);
    });

    it('attack: replay on another chain', async () => {
      await otherChain.node.setBalance({ address: agent.address, value: 10n ** 19n });
      await delegate(otherChain, agent);
      await otherChain.setUsdc(agent.address, 1_000_000_000n);
      const userOp = { ...(await build()), nonce: BigInt(validator) << 96n, paymasterAndData: '0x' } as const;
      const signed = await signUserOp(chain, agent, userOp);
      expect(await handleOpsRevert(otherChain, signed)).toEqual(signatureError);
      // The very same operation passes there when it is signed for that chain.
      const native = await signUserOp(otherChain, agent, userOp);
      expect((await handleOps(otherChain, native)).outcome).toMatchObject({ success: true });
    });

    it('attack: a signature for the chain id of another chain over the same root', async () => {
      await refused(await signUserOp(chain, agent, await build(), { chainId: 1 }));
    });

    it('attack: replay on another account, of a signature or a tree', async () => {
      const [owner, victim] = [await configuredAgent(chain), await configuredAgent(chain)];
      const own = await signedBy(owner);
      await refused({ ...own, sender: victim.address });
      const proof = [leafOf(await hashUserOp(chain, own), farFuture, 0)];
      await refused(await signUserOp(chain, owner, await build(victim.address), { proof }));
    });

    it('attack: replay on another instance of the validator', async () => {
      const other = await chain.deploy(intentValidatorAbi, intentValidatorBytecode);
      await sendToSelf(chain, agent, install(1n, other));
      const userOp = await build(agent.address, other);
      await refused(await signUserOp(chain, agent, userOp));
      await runs(await signUserOp(chain, agent, userOp, { validator: other }));
    });

    it('attack: replay at another entry point, where account, validator and paymaster refuse it', async () => {
      const owner = await configuredAgent(chain);
      const other = getAddress(await chain.deploy(entryPointV08Abi, entryPointV08Bytecode));
      const refusal = (userOp: PackedUserOperation) =>
        revertOf(chain, { to: other, data: handleOpsCall(operator.address, userOp) });
      const selfPaid = await poke(chain, owner, { paymasterAndData: '0x' });
      expect(await refusal(selfPaid)).toEqual(['AA23 reverted', 'AccountUnauthorized', other]);

      const args = [other, validator, executor];
      const moved = await chain.deploy(yieldVaultAccountAbi, yieldVaultAccountBytecode, args);
      await delegate(chain, owner, '0x', moved);
      expect(await refusal(selfPaid)).toEqual(signatureError);
      // Signed for that entry point it runs there, and only there.
      const sign = async (userOp: PackedUserOperation) => {
        const hash = await chain.read(other, entryPointV08Abi, 'getUserOpHash', [userOp]);
        return { ...userOp, signature: await signHash(chain, owner, hash) };
      };
      const native = await sign(selfPaid);
      const data = handleOpsCall(operator.address, native);
      expect((await chain.client.call({ to: other, data, account: operator })).data).toBeUndefined();
      await refused(native, ['AA23 reverted', 'AccountUnauthorized', entryPoint]);
      const deposit = encode(entryPointV08Abi, 'depositTo', [paymaster]);
      await chain.mined(chain.wallet.sendTransaction({ to: other, data: deposit, value: 10n ** 18n }));
      const sponsored = await sign({ ...selfPaid, paymasterAndData: usdcPaymasterAndData() });
      expect(await refusal(sponsored)).toEqual(['AA33 reverted', 'PaymasterUnauthorized', other]);
    });

    it('attack: a proof of length zero for a leaf of a larger tree, and proofs that do not match', async () => {
      const { signature, ...userOp } = await signUserOp(chain, agent, await build(), { proof: [sibling] });
      const alone = slice(signature, 0, 77);
      for (const forged of [alone, concatHex([alone, zeroHash]), concatHex([signature, zeroHash])]) {
        await refused({ ...userOp, signature: forged });
      }
    });

    it('attack: an inner node of the tree is no leaf', async () => {
      const userOp = await build();
      const word = (value: bigint) => numberToHex(value, { size: 32 });
      const fields = [BigInt(await hashUserOp(chain, userOp)), BigInt(farFuture), 0n, BigInt(validator)];
      // The root signed is the single hash, as if leaves were hashed once.
      const once = keccak256(concatHex(fields.map(word)));
      const ecdsa = await agent.signTypedData(intentTypedData(chain.chainId, once, farFuture, 0));
      await refused({ ...userOp, signature: packSignature(farFuture, 0, ecdsa) });
    });

    it('attack: high-s and nonsense signatures', async () => {
      const signed = await signedBy(agent);
      const { r, s, yParity } = parseSignature(slice(signed.signature, 12, 77));
      const high = numberToHex(curveOrder - BigInt(s), { size: 32 });
      for (const ecdsa of [
        concatHex([r, high, yParity ? '0x1b' : '0x1c']),
        `0x${'00'.repeat(65)}`,
        `0x${'11'.repeat(64)}1b`,
      ] as const) {
        const signature = packSignature(farFuture, 0, ecdsa);
        expect(await validate({ ...signed, signature }, await hashUserOp(chain, signed))).toBe(1n);
        await refused({ ...signed, signature });
      }
    });

    it.each([0, 12, 76, 78, 77 + 31, 77 + 33])(
      'error: IntentSignatureMalformed at %d bytes',
      async (length) => {
        const signature: Hex = `0x${'01'.repeat(length)}`;
        const malformed = ['AA23 reverted', 'IntentSignatureMalformed', BigInt(length)];
        await refused({ ...(await build()), signature }, malformed);
      },
    );

    it('attack: no changed bit of signature, proof, window or hash is accepted', async () => {
      const userOp = await build();
      const hash = await hashUserOp(chain, userOp);
      const proof = [sibling];
      const signature = await signHash(chain, agent, hash, { expiry: farFuture, validAfter: 9, proof });
      const flip = (hex: Hex, bit: number): Hex => {
        const flipped = BigInt(hex) ^ (1n << BigInt(bit));
        return numberToHex(flipped, { size: hex.length / 2 - 1 });
      };
      expect(await validate({ ...userOp, signature }, hash)).not.toBe(1n);
      for (let bit = 0; bit < 109 * 8; bit += 13) {
        expect(await validate({ ...userOp, signature: flip(signature, bit) }, hash)).toBe(1n);
        expect(await validate({ ...userOp, signature }, flip(hash, bit % 256))).toBe(1n);
      }
    });
  });

  describe('revocation', () => {
    it('default: the account raises the nonce of the key at the entry point', async () => {
      const owner = await configuredAgent(chain);
      const signed = await signedBy(owner);
      const raise = (from: PrivateKeyAccount) =>
        chain.write(entryPoint, entryPointV08Abi, 'incrementNonce', [BigInt(validator) << 32n], from);
      // Somebody else's key of that number is another one.
      await raise(operator);
      await undone(chain, () => expectRuns(chain, operator, signed, 0n));
      await raise(owner);
      await refused(signed, usedNonce);
    });

    it('behavior: so does any other operation of that key, one that fails included', async () => {
      const owner = await configuredAgent(chain);
      const signed = await signedBy(owner);
      const failing = await signUserOp(chain, owner, await buildUserOp(chain, owner.address, '0xdeadbeef'));
      expect((await handleOps(chain, failing)).outcome).toMatchObject({ success: false });
      await refused(signed, usedNonce);
    });
  });

  it('isValidSignatureWithSender: what authorises an operation is no signature of anything else', async () => {
    const hash = keccak256(stringToHex('typed data of an application'));
    const userOp = await signedBy(agent);
    const asked: readonly (readonly [Hex, Hex])[] = [
      [await hashUserOp(chain, userOp), userOp.signature],
      [hash, await signHash(chain, agent, hash)],
      [hash, await agent.sign({ hash })],
    ];
    for (const [subject, bytes] of asked) {
      const args = [agent.address, subject, bytes] as const;
      const response = chain.read(validator, intentValidatorAbi, 'isValidSignatureWithSender', args);
      expect(await response).toBe('0xffffffff');
    }
  });

  it('behavior: keeps no storage', async () => {
    const opcodes = opcodesOf((await chain.client.getCode({ address: validator })) ?? '0x');
    for (const [name, opcode] of Object.entries({ sload: 0x54, sstore: 0x55, tload: 0x5c, tstore: 0x5d })) {
      expect([name, opcodes.has(opcode)]).toEqual([name, false]);
    }
    // The reading of the code is right: it takes a hash and recovers a signer.
    expect([opcodes.has(0x20), opcodes.has(0xfa)]).toEqual([true, true]);
  });

  it('behavior: is a validator, and reports the accounts that installed it', async () => {
    const read = (name: 'isModuleType' | 'isInitialized', argument: bigint | Hex) =>
      chain.read(validator, intentValidatorAbi, name, [argument] as never);
    const types = [1n, 2n, 3n, 4n].map((type) => read('isModuleType', type));
    expect(await Promise.all(types)).toEqual([true, false, false, false]);
    expect(await read('isInitialized', agent.address)).toBe(true);
    expect(await read('isInitialized', operator.address)).toBe(false);
  });

  it('behavior: the digest names the chain that it runs on', async () => {
    for (const { read, chainId } of [chain, otherChain]) {
      const digest = await read(validator, intentValidatorAbi, 'intentDigest', [zeroHash, 1, 2]);
      expect(digest).toBe(hashTypedData(intentTypedData(chainId, zeroHash, 1, 2)));
    }
  });
});

/** The opcodes in runtime code; data behind the code counts too. */
function opcodesOf(code: Hex): ReadonlySet<number> {
  const bytes = hexToBytes(code);
  const opcodes = new Set<number>();
  for (let place = 0; place < bytes.length; place++) {
    const opcode = bytes[place] ?? 0;
    opcodes.add(opcode);
    if (opcode >= 0x60 && opcode <= 0x7f) place += opcode - 0x5f;
  }
  return opcodes;
}
