import {
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  hashTypedData,
  hexToBytes,
  keccak256,
  numberToHex,
  parseSignature,
  size,
  slice,
  stringToHex,
  zeroHash,
} from 'viem';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { intentValidatorAbi, intentValidatorBytecode } from '../../src/generated/IntentValidator.js';
import { yieldVaultAccountAbi } from '../../src/generated/YieldVaultAccount.js';
import {
  type PackedUserOperation,
  buildUserOp,
  configuredAgent,
  delegate,
  farFuture,
  handleOps,
  hashUserOp,
  intentTypedData,
  leafOf,
  packSignature,
  signHash,
  signUserOp,
  singleCall,
  usdcPaymasterAndData,
} from '../support/account.js';
import { type TestChain, entryPoint, operator, startTestChain, localContracts } from '../support/chain.js';
import { handleOpsRevert } from '../support/reverts.js';
import { encode } from '../support/calls.js';

const signatureError = ['AA24 signature error'];
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

describe('IntentValidator', () => {
  let chain: TestChain;
  let otherChain: TestChain;
  let agent: PrivateKeyAccount;
  beforeAll(async () => {
    [chain, otherChain] = await Promise.all([startTestChain(8453), startTestChain(1)]);
    agent = await configuredAgent(chain);
  });
  afterAll(() => Promise.all([chain.stop(), otherChain.stop()]));

  const poke = () => buildUserOp(chain, agent.address, singleCall(operator.address, '0x', 1n));
  const outcome = async (userOp: PackedUserOperation) => {
    return (await handleOps(chain, userOp)).outcome;
  };
  /** Response of the module to the account. */
  const validate = async (userOp: PackedUserOperation, hash: Hex) =>
    chain.read(localContracts.validator, intentValidatorAbi, 'validateUserOp', [userOp, hash]);
  const now = async () => Number((await chain.client.getBlock()).timestamp);
  const replaceSignature = (signature: Hex, ecdsa: Hex) =>
    concatHex([slice(signature, 0, 12), ecdsa, size(signature) > 77 ? slice(signature, 77) : '0x']);

  describe('validateUserOp', () => {
    it('default', async () => {
      expect(await outcome(await signUserOp(chain, agent, await poke()))).toMatchObject({ success: true });
    });

    it('behavior: one signature over a tree covers each of its leaves', async () => {
      const first = await poke();
      const second = { ...first, nonce: first.nonce + 1n };
      const expiry = farFuture;
      const [firstHash, secondHash] = [await hashUserOp(chain, first), await hashUserOp(chain, second)];
      const sibling = keccak256('0x1234');
      const upper = keccak256('0x5678');
      const signature = await signHash(chain, agent, firstHash, {
        proof: [leafOf(secondHash, expiry, 0), sibling, upper],
      });
      const other = packSignature(expiry, 0, slice(signature, 12, 77), [
        leafOf(firstHash, expiry, 0),
        sibling,
        upper,
      ]);
      expect(await outcome({ ...first, signature })).toMatchObject({ success: true });
      expect(await outcome({ ...second, signature: other })).toMatchObject({ success: true });
    });

    it('behavior: returns the window in full width', async () => {
      const userOp = await poke();
      const hash = await hashUserOp(chain, userOp);
      for (const [expiry, validAfter] of [
        [farFuture, 7],
        [2 ** 47, 0],
        [2 ** 48 - 1, 2 ** 48 - 1],
      ] as const) {
        const signature = await signHash(chain, agent, hash, { expiry, validAfter });
        expect(await validate({ ...userOp, signature }, hash)).toBe(
          (BigInt(validAfter) << 208n) | (BigInt(expiry) << 160n),
        );
      }
    });

    it('behavior: the entry point enforces the window', async () => {
      const userOp = await poke();
      const time = await now();
      for (const window of [{ expiry: time - 1 }, { validAfter: time + 1_000 }]) {
        const signed = await signUserOp(chain, agent, userOp, window);
        expect(await handleOpsRevert(chain, signed)).toEqual(['AA22 expired or not due']);
      }
    });

    it('attack: an expiry of zero never means for ever', async () => {
      const userOp = await poke();
      const signed = await signUserOp(chain, agent, userOp, { expiry: 0 });
      expect(await validate(signed, await hashUserOp(chain, userOp))).toBe(1n);
      expect(await handleOpsRevert(chain, signed)).toEqual(signatureError);
    });

    it('attack: expiry and validAfter cannot be changed after signing', async () => {
      const signed = await signUserOp(chain, agent, await poke(), { expiry: farFuture, validAfter: 5 });
      const rest = slice(signed.signature, 12);
      for (const [expiry, validAfter] of [
        [farFuture + 1, 5],
        [farFuture, 4],
      ] as const) {
        const signature = concatHex([
          numberToHex(expiry, { size: 6 }),
          numberToHex(validAfter, { size: 6 }),
          rest,
        ]);
        expect(await handleOpsRevert(chain, { ...signed, signature })).toEqual(signatureError);
      }
    });

    it('attack: no field of the operation can be changed after signing', async () => {
      const signed = await signUserOp(chain, agent, await poke());
      const changes: readonly Partial<PackedUserOperation>[] = [
        { paymasterAndData: '0x' },
        { paymasterAndData: usdcPaymasterAndData(120_001n) },
        { callData: singleCall(operator.address, '0x', 2n) },
        { preVerificationGas: signed.preVerificationGas + 1n },
        { gasFees: concatHex([slice(signed.gasFees, 0, 31), '0x01']) },
        { accountGasLimits: concatHex([slice(signed.accountGasLimits, 0, 31), '0x01']) },
      ];
      for (const change of changes) {
        expect(await handleOpsRevert(chain, { ...signed, ...change })).toEqual(signatureError);
      }
    });

    it('attack: replay of a used operation', async () => {
      const signed = await signUserOp(chain, agent, await poke());
      expect(await outcome(signed)).toMatchObject({ success: true });
      expect(await handleOpsRevert(chain, signed)).toEqual(['AA25 invalid account nonce']);
    });

    it('attack: replay on another chain', async () => {
      await otherChain.node.setBalance({ address: agent.address, value: 10n ** 19n });
      await delegate(otherChain, agent);
      await otherChain.setUsdc(agent.address, 1_000_000_000n);
      const userOp = { ...(await poke()), nonce: BigInt(localContracts.validator) << 96n };
      const signed = await signUserOp(chain, agent, userOp);
      expect(await handleOpsRevert(otherChain, signed)).toEqual(signatureError);
      // The very same operation passes there when it is signed for that chain.
      const native = await signUserOp(otherChain, agent, userOp);
      expect((await handleOps(otherChain, native)).receipt.status).toBe('success');
    });

    it('attack: a signature for the chain id of another chain over the same root', async () => {
      const userOp = await poke();
      const signature = await signHash(chain, agent, await hashUserOp(chain, userOp), { chainId: 1 });
      expect(await handleOpsRevert(chain, { ...userOp, signature })).toEqual(signatureError);
    });

    it('attack: replay on another account', async () => {
      const victim = await configuredAgent(chain);
      const userOp = await buildUserOp(chain, victim.address, singleCall(operator.address, '0x', 1n));
      expect(await handleOpsRevert(chain, await signUserOp(chain, agent, userOp))).toEqual(signatureError);
    });

    it('attack: replay on another instance of the validator', async () => {
      const other = await chain.deploy(intentValidatorAbi, intentValidatorBytecode);
      await chain.mined(
        chain.walletOf(agent).sendTransaction({
          to: agent.address,
          data: encode(yieldVaultAccountAbi, 'installModule', [1n, other, '0x']),
        }),
      );
      const userOp = await buildUserOp(
        chain,
        agent.address,
        singleCall(operator.address, '0x', 1n),
        {},
        { validator: other },
      );
      expect(await handleOpsRevert(chain, await signUserOp(chain, agent, userOp))).toEqual(signatureError);
      const right = await signUserOp(chain, agent, userOp, { validator: other });
      expect(await outcome(right)).toMatchObject({ success: true });
    });

    it('attack: a proof of length zero for a leaf of a larger tree, and proofs that do not match', async () => {
      const userOp = await poke();
      const hash = await hashUserOp(chain, userOp);
      const sibling = keccak256('0x1234');
      const signature = await signHash(chain, agent, hash, { proof: [sibling] });
      const forged = [
        slice(signature, 0, 77),
        concatHex([slice(signature, 0, 77), zeroHash]),
        concatHex([signature, zeroHash]),
      ];
      for (const bytes of forged) {
        expect(await handleOpsRevert(chain, { ...userOp, signature: bytes })).toEqual(signatureError);
      }
    });

    it('attack: an inner node of the tree is no leaf', async () => {
      const userOp = await poke();
      const hash = await hashUserOp(chain, userOp);
      // The root signed is the single hash, as if leaves were hashed once.
      const once = keccak256(
        concatHex([
          hash,
          numberToHex(farFuture, { size: 32 }),
          numberToHex(0, { size: 32 }),
          numberToHex(BigInt(localContracts.validator), { size: 32 }),
        ]),
      );
      const ecdsa = await agent.signTypedData(intentTypedData(chain.chainId, once, farFuture, 0));
      const signature = packSignature(farFuture, 0, ecdsa);
      expect(await handleOpsRevert(chain, { ...userOp, signature })).toEqual(signatureError);
    });

    it('attack: high-s, 64-byte and nonsense signatures', async () => {
      const signed = await signUserOp(chain, agent, await poke());
      const ecdsa = slice(signed.signature, 12, 77);
      const { r, s, yParity } = parseSignature(ecdsa);
      const high = numberToHex(curveOrder - BigInt(s), { size: 32 });
      const highS = replaceSignature(signed.signature, concatHex([r, high, yParity ? '0x1b' : '0x1c']));
      expect(await handleOpsRevert(chain, { ...signed, signature: highS })).toEqual(signatureError);
      const zeros = replaceSignature(signed.signature, `0x${'00'.repeat(65)}`);
      expect(await handleOpsRevert(chain, { ...signed, signature: zeros })).toEqual(signatureError);
      const compact = concatHex([slice(signed.signature, 0, 12), slice(ecdsa, 0, 64)]);
      expect(await handleOpsRevert(chain, { ...signed, signature: compact })).toEqual([
        'AA23 reverted',
        'IntentSignatureMalformed',
        76n,
      ]);
    });

    it.each([0, 1, 12, 76, 78, 77 + 31, 77 + 33])(
      'error: IntentSignatureMalformed at %d bytes',
      async (length) => {
        const userOp = { ...(await poke()), signature: `0x${'01'.repeat(length)}` as Hex };
        expect(await handleOpsRevert(chain, userOp)).toEqual([
          'AA23 reverted',
          'IntentSignatureMalformed',
          BigInt(length),
        ]);
      },
    );

    it('behavior: a well-formed stub answers 1 and does not revert', async () => {
      const userOp = await poke();
      const stub = packSignature(farFuture, 0, `0x${'11'.repeat(64)}1b`);
      expect(await validate({ ...userOp, signature: stub }, await hashUserOp(chain, userOp))).toBe(1n);
    });
  });

  describe('revocation', () => {
    it('default: the account raises the nonce of the key at the entry point', async () => {
      const owner = await configuredAgent(chain);
      const userOp = await buildUserOp(chain, owner.address, singleCall(operator.address, '0x', 1n));
      const signed = await signUserOp(chain, owner, userOp);
      const key = BigInt(localContracts.validator) << 32n;
      // Somebody else's key of that number is another one.
      await chain.write(entryPoint, entryPointV08Abi, 'incrementNonce', [key]);
      const snapshot = await chain.node.snapshot();
      expect(await outcome(signed)).toMatchObject({ success: true });
      await chain.node.revert({ id: snapshot });

      await chain.write(entryPoint, entryPointV08Abi, 'incrementNonce', [key], owner);
      expect(await handleOpsRevert(chain, signed)).toEqual(['AA25 invalid account nonce']);
    });

    it('behavior: so does any other operation of that key, one that fails included', async () => {
      const owner = await configuredAgent(chain);
      const signed = await signUserOp(
        chain,
        owner,
        await buildUserOp(chain, owner.address, singleCall(operator.address, '0x', 1n)),
      );
      const failing = await buildUserOp(chain, owner.address, '0xdeadbeef');
      expect(await outcome(await signUserOp(chain, owner, failing))).toMatchObject({ success: false });
      expect(await handleOpsRevert(chain, signed)).toEqual(['AA25 invalid account nonce']);
    });
  });

  describe('isValidSignatureWithSender', () => {
    const hash = keccak256(stringToHex('typed data of an application'));

    it('attack: what authorises an operation is no signature of anything else', async () => {
      const userOp = await poke();
      const userOpHash = await hashUserOp(chain, userOp);
      const { signature } = await signUserOp(chain, agent, userOp);
      const asked: readonly (readonly [Hex, Hex])[] = [
        [userOpHash, signature],
        [hash, await signHash(chain, agent, hash)],
        [hash, await agent.sign({ hash })],
        [hash, '0x'],
      ];
      for (const account of [agent.address, operator.address]) {
        for (const [subject, bytes] of asked) {
          const answer = await chain.client.readContract({
            address: localContracts.validator,
            abi: intentValidatorAbi,
            functionName: 'isValidSignatureWithSender',
            args: [account, subject, bytes],
            account: agent.address,
          });
          expect(answer).toBe('0xffffffff');
        }
      }
    });
  });

  it('behavior: keeps no storage', async () => {
    const { validator } = localContracts;
    const code = await chain.client.getCode({ address: validator });
    const opcodes = opcodesOf(code ?? '0x');
    for (const [name, opcode] of Object.entries({ sload: 0x54, sstore: 0x55, tload: 0x5c, tstore: 0x5d })) {
      expect([name, opcodes.has(opcode)]).toEqual([name, false]);
    }
    // The reading of the code is right: it takes a hash and recovers a signer.
    expect([opcodes.has(0x20), opcodes.has(0xfa)]).toEqual([true, true]);
  });

  it('behavior: is a validator, and reports the accounts that installed it', async () => {
    const read = { address: localContracts.validator, abi: intentValidatorAbi } as const;
    const types = await Promise.all(
      [1n, 2n, 3n, 4n].map((type) =>
        chain.client.readContract({ ...read, functionName: 'isModuleType', args: [type] }),
      ),
    );
    expect(types).toEqual([true, false, false, false]);
    const initialized = (account: Hex) =>
      chain.client.readContract({ ...read, functionName: 'isInitialized', args: [account] });
    expect(await initialized(agent.address)).toBe(true);
    expect(await initialized(operator.address)).toBe(false);
  });

  it('behavior: publishes its EIP-712 domain', async () => {
    const { domain } = await chain.client.getEip712Domain({ address: localContracts.validator });
    expect(domain).toMatchObject({
      name: 'YieldVaultIntent',
      version: '1',
      chainId: chain.chainId,
      verifyingContract: localContracts.validator,
    });
    const typed = intentTypedData(chain.chainId, zeroHash, 1, 2);
    const onChain = await chain.read(localContracts.validator, intentValidatorAbi, 'intentDigest', [
      zeroHash,
      1,
      2,
    ]);
    expect(onChain).toBe(hashTypedData(typed));
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
