import {
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  erc20Abi,
  hashTypedData,
  keccak256,
  parseSignature,
  parseEventLogs,
  parseEther,
  stringToHex,
  zeroAddress,
  zeroHash,
} from 'viem';
import { localUsdcAbi } from './generated/LocalUsdc.js';
import { yieldVaultAccountAbi, yieldVaultAccountBytecode } from '../src/generated/YieldVaultAccount.js';
import { bareModuleAbi, bareModuleBytecode } from './generated/BareModule.js';
import { mockErc1155Abi, mockErc1155Bytecode } from './generated/MockErc1155.js';
import { mockErc721Abi, mockErc721Bytecode } from './generated/MockErc721.js';
import { usdtLikeTokenAbi, usdtLikeTokenBytecode } from './generated/UsdtLikeToken.js';
import {
  buildUserOp,
  configuredAgent,
  delegate,
  farFuture,
  handleOps,
  hashUserOp,
  initializeCall,
  signHash,
  signUserOp,
  singleCall,
} from './support/account.js';
import { type TestChain, entryPoint, operator, startTestChain, localContracts } from './support/chain.js';
import { handleOpsRevert, revertOf } from './support/reverts.js';
import { encode } from './support/calls.js';

const magic = '0x1626ba7e';
const invalid = '0xffffffff';
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const storageNamespace = BigInt('0xfd05bbc306dcdf66b70cbe020ffabf7a9b7149c915ce12e5d3e8ff3563854200');

describe('YieldVaultAccount', () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startTestChain();
  });
  afterAll(() => chain.stop());

  const installed = (agent: PrivateKeyAccount, type: bigint, module: Hex) =>
    chain.read(agent.address, yieldVaultAccountAbi, 'isModuleInstalled', [type, module, '0x']);
  const allowance = (agent: PrivateKeyAccount) =>
    chain.read(chain.usdc, erc20Abi, 'allowance', [agent.address, localContracts.paymaster]);
  const isValidSignature = (agent: PrivateKeyAccount, hash: Hex, signature: Hex) =>
    chain.read(agent.address, yieldVaultAccountAbi, 'isValidSignature', [hash, signature]);
  const send = async (agent: PrivateKeyAccount, data: Hex) =>
    chain.mined(chain.walletOf(agent).sendTransaction({ to: agent.address, data, gas: 1_000_000n }));

  describe('initializeAccount', () => {
    it('default', async () => {
      const agent = await chain.agent();
      const receipt = await delegate(chain, agent);
      expect(receipt.status).toBe('success');
      expect(await installed(agent, 1n, localContracts.validator)).toBe(true);
      expect(await installed(agent, 2n, localContracts.executor)).toBe(true);
      expect(await allowance(agent)).toBe(100_000_000n);
      const [event] = parseEventLogs({
        abi: yieldVaultAccountAbi,
        logs: receipt.logs,
        eventName: 'AccountInitialized',
      });
      expect(event?.args).toEqual({
        ...localContracts,
        account: undefined,
        token: chain.usdc,
        allowance: 100_000_000n,
      });
    });

    it('behavior: a repeated setup changes only the allowance, to the requested amount', async () => {
      const agent = await configuredAgent(chain);
      expect((await send(agent, initializeCall(chain.usdc, { allowance: 7n }))).status).toBe('success');
      expect(await allowance(agent)).toBe(7n);
      expect((await send(agent, initializeCall(chain.usdc, { allowance: 0n }))).status).toBe('success');
      expect(await allowance(agent)).toBe(0n);
      expect(await installed(agent, 1n, localContracts.validator)).toBe(true);
    });

    it('behavior: a zero paymaster leaves allowances alone', async () => {
      const agent = await configuredAgent(chain);
      const call = initializeCall(zeroAddress, { paymaster: zeroAddress, allowance: 5n });
      expect((await send(agent, call)).status).toBe('success');
      expect(await allowance(agent)).toBe(100_000_000n);
    });

    it('behavior: a reverted initialisation keeps the delegation, and a type-2 self-call repairs it', async () => {
      const agent = await chain.agent();
      const broken = await delegate(chain, agent, initializeCall(chain.usdc, { executor: operator.address }));
      expect(broken.status).toBe('reverted');
      expect(await chain.client.getCode({ address: agent.address })).toBe(
        concatHex(['0xef0100', localContracts.account]).toLowerCase(),
      );
      expect(await installed(agent, 1n, localContracts.validator)).toBe(false);

      expect((await send(agent, initializeCall(chain.usdc))).status).toBe('success');
      expect(await installed(agent, 1n, localContracts.validator)).toBe(true);
      expect(await installed(agent, 2n, localContracts.executor)).toBe(true);
    });

    it('behavior: a type-4 transaction repairs it too', async () => {
      const agent = await chain.agent();
      await delegate(chain, agent, initializeCall(chain.usdc, { validator: operator.address }));
      expect(await installed(agent, 2n, localContracts.executor)).toBe(false);
      expect((await delegate(chain, agent)).status).toBe('success');
      expect(await installed(agent, 2n, localContracts.executor)).toBe(true);
    });

    it.each([
      ['executor', 2n, localContracts.executor],
      ['validator', 1n, localContracts.validator],
    ] as const)('behavior: installs a missing %s alone', async (_, type, module) => {
      const agent = await configuredAgent(chain);
      const data = encode(yieldVaultAccountAbi, 'uninstallModule', [type, module, '0x']);
      expect((await send(agent, data)).status).toBe('success');
      expect(await installed(agent, type, module)).toBe(false);
      const receipt = await send(agent, initializeCall(chain.usdc));
      const events = parseEventLogs({
        abi: yieldVaultAccountAbi,
        logs: receipt.logs,
        eventName: 'ModuleInstalled',
      });
      expect(events.map(({ args }) => args)).toEqual([{ moduleTypeId: type, module }]);
    });

    it('behavior: replaces an allowance of a USDT-like token', async () => {
      const token = await chain.deploy(usdtLikeTokenAbi, usdtLikeTokenBytecode);
      const agent = await configuredAgent(chain);
      for (const amount of [5n, 9n]) {
        expect((await send(agent, initializeCall(token, { allowance: amount }))).status).toBe('success');
        const value = await chain.read(token, erc20Abi, 'allowance', [
          agent.address,
          localContracts.paymaster,
        ]);
        expect(value).toBe(amount);
      }
    });

    it('behavior: a module that refuses reverts everything', async () => {
      const module = await chain.deploy(bareModuleAbi, bareModuleBytecode);
      await chain.write(module, bareModuleAbi, 'setRefusesInstall', [true]);
      const agent = await configuredAgent(chain);
      const call = { from: agent.address, to: agent.address };
      expect(
        await revertOf(chain, { ...call, data: initializeCall(chain.usdc, { validator: module }) }),
      ).toEqual(['InstallRefused']);
    });

    it('error: AccountInitializerUnauthorized for everybody else, the entry point included', async () => {
      const agent = await chain.agent();
      await delegate(chain, agent, initializeCall(chain.usdc, { executor: operator.address }));
      for (const from of [operator.address, entryPoint]) {
        expect(await revertOf(chain, { from, to: agent.address, data: initializeCall(chain.usdc) })).toEqual([
          'AccountInitializerUnauthorized',
          from,
        ]);
      }
    });

    it('error: ERC7579MismatchedModuleTypeId', async () => {
      const agent = await configuredAgent(chain);
      const data = initializeCall(chain.usdc, { executor: localContracts.validator });
      expect(await revertOf(chain, { from: agent.address, to: agent.address, data })).toEqual([
        'ERC7579MismatchedModuleTypeId',
        2n,
        localContracts.validator,
      ]);
    });

    it('error: a module without code', async () => {
      const agent = await configuredAgent(chain);
      const data = initializeCall(chain.usdc, { executor: zeroAddress });
      expect(await revertOf(chain, { from: agent.address, to: agent.address, data })).toEqual([]);
    });
  });

  describe('access', () => {
    const entries: readonly (readonly [string, Hex])[] = [
      ['execute', singleCall(operator.address, '0x')],
      ['installModule', encode(yieldVaultAccountAbi, 'installModule', [1n, localContracts.validator, '0x'])],
      [
        'uninstallModule',
        encode(yieldVaultAccountAbi, 'uninstallModule', [1n, localContracts.validator, '0x']),
      ],
    ];

    it.each(entries)('error: AccountUnauthorized for %s', async (_, data) => {
      const agent = await configuredAgent(chain);
      expect(await revertOf(chain, { to: agent.address, data })).toEqual([
        'AccountUnauthorized',
        operator.address,
      ]);
    });

    it('error: AccountUnauthorized for validateUserOp, to the account itself too', async () => {
      const agent = await configuredAgent(chain);
      const userOp = await buildUserOp(chain, agent.address, '0x');
      const data = encode(yieldVaultAccountAbi, 'validateUserOp', [userOp, zeroHash, 0n]);
      for (const from of [operator.address, agent.address]) {
        expect(await revertOf(chain, { from, to: agent.address, data })).toEqual([
          'AccountUnauthorized',
          from,
        ]);
      }
    });

    it('error: ERC7579UninstalledModule for executeFromExecutor', async () => {
      const agent = await configuredAgent(chain);
      for (const from of [operator.address, agent.address, localContracts.validator]) {
        const data = encode(yieldVaultAccountAbi, 'executeFromExecutor', [
          zeroHash,
          encodePacked(['address', 'uint256'], [operator.address, 1n]),
        ]);
        expect(await revertOf(chain, { from, to: agent.address, data })).toEqual([
          'ERC7579UninstalledModule',
          2n,
          from,
        ]);
      }
    });

    it.each(entries)('error: AccountNotDelegated for %s on the implementation', async (_, data) => {
      for (const from of [operator.address, entryPoint, localContracts.account]) {
        expect(await revertOf(chain, { from, to: localContracts.account, data })).toEqual([
          'AccountNotDelegated',
        ]);
      }
    });

    it('error: AccountNotDelegated for a user operation of the implementation', async () => {
      const userOp = await buildUserOp(chain, localContracts.account, '0x');
      expect(await handleOpsRevert(chain, userOp)).toEqual(['AA23 reverted', 'AccountNotDelegated']);
    });

    it('error: ERC7579MissingFallbackHandler', async () => {
      const agent = await configuredAgent(chain);
      expect(await revertOf(chain, { to: agent.address, data: '0xdeadbeef' })).toEqual([
        'ERC7579MissingFallbackHandler',
        '0xdeadbeef',
      ]);
    });

    it('error: AA24 for a nonce key that names no installed validator', async () => {
      const agent = await configuredAgent(chain);
      const userOp = await buildUserOp(
        chain,
        agent.address,
        '0x',
        {},
        { validator: localContracts.executor },
      );
      const signed = await signUserOp(chain, agent, userOp);
      expect(await handleOpsRevert(chain, signed)).toEqual(['AA24 signature error']);
      const raw = await agent.sign({ hash: await hashUserOp(chain, userOp) });
      expect(await handleOpsRevert(chain, { ...userOp, signature: raw })).toEqual(['AA24 signature error']);
    });
  });

  describe('validateUserOp', () => {
    it('behavior: any validator module gets its arguments whole', async () => {
      const module = await chain.deploy(bareModuleAbi, bareModuleBytecode);
      const agent = await configuredAgent(chain);
      await send(agent, encode(yieldVaultAccountAbi, 'installModule', [1n, module, '0x']));
      const callData = singleCall(operator.address, '0x1234', 5n);
      const userOp = await buildUserOp(chain, agent.address, callData, {}, { validator: module });
      const signature = encodeAbiParameters(
        [{ type: 'bytes32' }, { type: 'bytes' }],
        [await hashUserOp(chain, userOp), callData],
      );
      const { outcome } = await handleOps(chain, { ...userOp, signature });
      expect(outcome).toMatchObject({ success: true });

      const next = await buildUserOp(chain, agent.address, callData, {}, { validator: module });
      expect(await handleOpsRevert(chain, { ...next, signature })).toEqual(['AA24 signature error']);
      await chain.write(module, bareModuleAbi, 'setAnswersShort');
      expect(await handleOpsRevert(chain, next)).toEqual(['AA23 reverted']);
      await chain.write(module, bareModuleAbi, 'setRefusesValidation');
      expect(await handleOpsRevert(chain, next)).toEqual(['AA23 reverted', 'ValidationRefused', 42n]);
    });

    it('behavior: pays for itself without a paymaster', async () => {
      const agent = await configuredAgent(chain);
      const userOp = await buildUserOp(chain, agent.address, singleCall(operator.address, '0x', 1n), {
        paymasterAndData: '0x',
      });
      const { outcome } = await handleOps(chain, await signUserOp(chain, agent, userOp));
      expect(outcome).toMatchObject({ success: true });
    });
  });

  describe('isValidSignature', () => {
    const hash = keccak256(stringToHex('bare'));

    it('behavior: 65 bytes are the owner over the bare hash', async () => {
      const agent = await configuredAgent(chain);
      const other = await chain.agent();
      expect(await isValidSignature(agent, hash, await agent.sign({ hash }))).toBe(magic);
      expect(await isValidSignature(agent, hash, await other.sign({ hash }))).toBe(invalid);
      expect(await isValidSignature(agent, zeroHash, await agent.sign({ hash }))).toBe(invalid);
    });

    it('behavior: the owner path comes first even when the bytes begin with the validator', async () => {
      const agent = await configuredAgent(chain);
      const signature = concatHex([localContracts.validator, `0x${'11'.repeat(45)}`]);
      expect(await isValidSignature(agent, hash, signature)).toBe(invalid);
    });

    it('behavior: high-s and 64-byte signatures are refused', async () => {
      const agent = await configuredAgent(chain);
      const { r, s, yParity } = parseSignature(await agent.sign({ hash }));
      const high = `0x${(curveOrder - BigInt(s)).toString(16).padStart(64, '0')}` as Hex;
      expect(await isValidSignature(agent, hash, concatHex([r, high, yParity ? '0x1b' : '0x1c']))).toBe(
        invalid,
      );
      const compact = BigInt(s) | (BigInt(yParity ?? 0) << 255n);
      const compactHex = `0x${compact.toString(16).padStart(64, '0')}` as Hex;
      expect(await isValidSignature(agent, hash, concatHex([r, compactHex]))).toBe(invalid);
    });

    it('behavior: any other length goes to the validator module', async () => {
      const agent = await configuredAgent(chain);
      const inner = await signHash(chain, agent, hash);
      expect(await isValidSignature(agent, hash, concatHex([localContracts.validator, inner]))).toBe(magic);
      // ERC-1271 replay with another hash, a module that is not installed, too few bytes, a malformed inner part.
      expect(await isValidSignature(agent, zeroHash, concatHex([localContracts.validator, inner]))).toBe(
        invalid,
      );
      expect(await isValidSignature(agent, hash, concatHex([localContracts.executor, inner]))).toBe(invalid);
      expect(await isValidSignature(agent, hash, '0x1234')).toBe(invalid);
      expect(await isValidSignature(agent, hash, '0x')).toBe(invalid);
      expect(await isValidSignature(agent, hash, concatHex([localContracts.validator, inner, '0x00']))).toBe(
        invalid,
      );
    });

    it('behavior: USDC permits and EIP-3009 authorizations keep working after the delegation', async () => {
      const agent = await configuredAgent(chain);
      const domain = {
        name: 'USD Coin',
        version: '2',
        chainId: chain.chainId,
        verifyingContract: chain.usdc,
      };
      const permit = await agent.signTypedData({
        domain,
        types: {
          Permit: [
            { name: 'owner', type: 'address' },
            { name: 'spender', type: 'address' },
            { name: 'value', type: 'uint256' },
            { name: 'nonce', type: 'uint256' },
            { name: 'deadline', type: 'uint256' },
          ],
        },
        primaryType: 'Permit',
        message: {
          owner: agent.address,
          spender: operator.address,
          value: 3n,
          nonce: 0n,
          deadline: BigInt(farFuture),
        },
      });
      const permitted = await chain.write(chain.usdc, localUsdcAbi, 'permit', [
        agent.address,
        operator.address,
        3n,
        BigInt(farFuture),
        permit,
      ]);
      expect(permitted.status).toBe('success');

      const authorization = {
        domain,
        types: {
          TransferWithAuthorization: [
            { name: 'from', type: 'address' },
            { name: 'to', type: 'address' },
            { name: 'value', type: 'uint256' },
            { name: 'validAfter', type: 'uint256' },
            { name: 'validBefore', type: 'uint256' },
            { name: 'nonce', type: 'bytes32' },
          ],
        },
        primaryType: 'TransferWithAuthorization',
        message: {
          from: agent.address,
          to: operator.address,
          value: 4n,
          validAfter: 0n,
          validBefore: BigInt(farFuture),
          nonce: zeroHash,
        },
      } as const;
      const transfer = (signature: Hex) => ({
        address: chain.usdc,
        abi: localUsdcAbi,
        functionName: 'transferWithAuthorization' as const,
        args: [agent.address, operator.address, 4n, 0n, BigInt(farFuture), zeroHash, signature] as const,
      });
      const viaModule = concatHex([
        localContracts.validator,
        await signHash(chain, agent, hashTypedData(authorization), { expiry: 1 }),
      ]);
      // Expired: the module's response reaches the token, as the owner's does below.
      expect(
        await revertOf(chain, { to: chain.usdc, data: encodeFunctionData(transfer(viaModule)) }),
      ).toEqual(['Error', 'FiatTokenV2: invalid signature']);
      const moved = await chain.mined(
        chain.wallet.writeContract(transfer(await agent.signTypedData(authorization))),
      );
      expect(moved.status).toBe('success');
    });
  });

  it('behavior: receives ether, ERC-721 and ERC-1155', async () => {
    const agent = await configuredAgent(chain);
    const before = await chain.client.getBalance(agent);
    await chain.mined(chain.wallet.sendTransaction({ to: agent.address, value: parseEther('1') }));
    expect(await chain.client.getBalance(agent)).toBe(before + parseEther('1'));

    const erc721 = await chain.deploy(mockErc721Abi, mockErc721Bytecode);
    const erc1155 = await chain.deploy(mockErc1155Abi, mockErc1155Bytecode);
    const receipts = [
      await chain.write(erc721, mockErc721Abi, 'mint', [agent.address, 1n]),
      await chain.write(erc1155, mockErc1155Abi, 'mint', [agent.address, 1n, 2n]),
      await chain.write(erc1155, mockErc1155Abi, 'mintBatch', [agent.address, [1n, 2n], [1n, 1n]]),
    ];
    expect(receipts.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
  });

  it('behavior: storage stays inside its ERC-7201 namespace', async () => {
    const inner = BigInt(keccak256(stringToHex('yieldvault.account'))) - 1n;
    const outer = BigInt(keccak256(encodeAbiParameters([{ type: 'uint256' }], [inner])));
    expect(outer & ~0xffn).toBe(storageNamespace);

    const agent = await configuredAgent(chain);
    const slot = async (index: bigint) =>
      BigInt(
        (await chain.client.getStorageAt({ address: agent.address, slot: `0x${index.toString(16)}` })) ?? 0,
      );
    // Lengths of the two module lists, at the start of the namespace; an ordinary contract would use slots 0 to 4.
    expect([await slot(storageNamespace), await slot(storageNamespace + 2n)]).toEqual([1n, 1n]);
    for (let index = 0n; index < 8n; index++) expect(await slot(index)).toBe(0n);
  });

  it('behavior: names itself and its entry point', async () => {
    const agent = await configuredAgent(chain);
    const read = (functionName: 'accountId' | 'entryPoint') =>
      chain.read(agent.address, yieldVaultAccountAbi, functionName);
    expect(await read('accountId')).toBe('yieldvault.account.1.0.0');
    expect(await read('entryPoint')).toBe(entryPoint);
    expect(yieldVaultAccountBytecode.length / 2).toBeLessThan(24_576);
  });
});
