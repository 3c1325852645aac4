import {
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  encodeFunctionData,
  hashTypedData,
  keccak256,
  numberToHex,
  parseEther,
  parseSignature,
  slice,
  stringToHex,
  toFunctionSelector,
  zeroHash,
} from 'viem';
import { yieldVaultAccountAbi, yieldVaultAccountBytecode } from '../../src/generated/YieldVaultAccount.js';
import { localUsdcAbi } from '../generated/LocalUsdc.js';
import { mockErc1155Abi, mockErc1155Bytecode } from '../generated/MockErc1155.js';
import { mockErc721Abi, mockErc721Bytecode } from '../generated/MockErc721.js';
import { configuredAgent, farFuture, signHash } from '../support/account.js';
import { type TestChain, entryPoint, localContracts, operator, startTestChain } from '../support/chain.js';
import { revertOf } from '../support/reverts.js';

const magic = '0x1626ba7e';
const invalid = '0xffffffff';
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const userOp = '(address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)';
const interfaces = {
  'ERC-165': ['supportsInterface(bytes4)'],
  'ERC-4337 account': [`validateUserOp(${userOp},bytes32,uint256)`],
  'ERC-1271': ['isValidSignature(bytes32,bytes)'],
  'ERC-7579 execution': ['execute(bytes32,bytes)', 'executeFromExecutor(bytes32,bytes)'],
  'ERC-7579 account': ['accountId()', 'supportsExecutionMode(bytes32)', 'supportsModule(uint256)'],
  'ERC-7579 modules': [
    'installModule(uint256,address,bytes)',
    'uninstallModule(uint256,address,bytes)',
    'isModuleInstalled(uint256,address,bytes)',
  ],
  'ERC-721 receiver': ['onERC721Received(address,address,uint256,bytes)'],
  'ERC-1155 receiver': [
    'onERC1155Received(address,address,uint256,uint256,bytes)',
    'onERC1155BatchReceived(address,address,uint256[],uint256[],bytes)',
  ],
};

/** The EIP-2098 form of a signature of 65 bytes. */
function compact(signature: Hex) {
  const { r, s, yParity } = parseSignature(signature);
  const second = BigInt(s) | (BigInt(yParity ?? 0) << 255n);
  return { signature: concatHex([r, numberToHex(second, { size: 32 })]), parity: yParity };
}

describe('YieldVaultAccount: signatures and interfaces', () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startTestChain();
  });
  afterAll(() => chain.stop());

  const isValidSignature = (agent: PrivateKeyAccount, hash: Hex, signature: Hex) =>
    chain.read(agent.address, yieldVaultAccountAbi, 'isValidSignature', [hash, signature]);
  const compactOf = async (agent: PrivateKeyAccount, hash: Hex) => compact(await agent.sign({ hash }));

  describe('isValidSignature', () => {
    const hash = keccak256(stringToHex('bare'));

    it('behavior: 65 bytes are the owner over the bare hash', async () => {
      const agent = await configuredAgent(chain);
      const other = await chain.agent();
      expect(await isValidSignature(agent, hash, await agent.sign({ hash }))).toBe(magic);
      expect(await isValidSignature(agent, hash, await other.sign({ hash }))).toBe(invalid);
      expect(await isValidSignature(agent, zeroHash, await agent.sign({ hash }))).toBe(invalid);
    });

    it('behavior: 64 bytes are the same signature (EIP-2098)', async () => {
      const agent = await configuredAgent(chain);
      const other = await chain.agent();
      const seen = new Set<number | undefined>();
      // Until both parities were seen: the upper bit of the second word holds it.
      for (let round = 0; seen.size < 2; round++) {
        const asked = keccak256(numberToHex(round));
        const compact = await compactOf(agent, asked);
        seen.add(compact.parity);
        expect(await isValidSignature(agent, asked, compact.signature)).toBe(magic);
        expect(await isValidSignature(agent, hash, compact.signature)).toBe(invalid);
        expect(await isValidSignature(agent, asked, (await compactOf(other, asked)).signature)).toBe(invalid);
        const flipped = numberToHex(BigInt(slice(compact.signature, 32)) ^ (1n << 255n), { size: 32 });
        expect(
          await isValidSignature(agent, asked, concatHex([slice(compact.signature, 0, 32), flipped])),
        ).toBe(invalid);
      }
    });

    it('behavior: high-s is refused in both forms, and so is what recovers to nobody', async () => {
      const agent = await configuredAgent(chain);
      const { r, s, yParity } = parseSignature(await agent.sign({ hash }));
      const high = curveOrder - BigInt(s);
      const highHex = numberToHex(high, { size: 32 });
      expect(await isValidSignature(agent, hash, concatHex([r, highHex, yParity ? '0x1b' : '0x1c']))).toBe(
        invalid,
      );
      // The parity takes the bit that a high s needs, so that the compact form can only hold another s.
      const compactHigh = numberToHex(high & ~(1n << 255n), { size: 32 });
      expect(await isValidSignature(agent, hash, concatHex([r, compactHigh]))).toBe(invalid);
      for (const length of [64, 65]) {
        expect(await isValidSignature(agent, hash, `0x${'00'.repeat(length)}`)).toBe(invalid);
      }
    });

    it('behavior: any other length is invalid, and no module is asked', async () => {
      const agent = await configuredAgent(chain);
      const inner = await signHash(chain, agent, hash);
      const owner = await agent.sign({ hash });
      const signatures: readonly Hex[] = [
        '0x',
        '0x1234',
        slice(owner, 0, 63),
        concatHex([owner, '0x00']),
        inner,
        concatHex([localContracts.validator, inner]),
        concatHex([localContracts.validator, owner]),
      ];
      for (const signature of signatures) {
        expect(await isValidSignature(agent, hash, signature)).toBe(invalid);
      }
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
      for (const signature of [permit, compact(permit).signature]) {
        const snapshot = await chain.node.snapshot();
        const permitted = await chain.write(chain.usdc, localUsdcAbi, 'permit', [
          agent.address,
          operator.address,
          3n,
          BigInt(farFuture),
          signature,
        ]);
        expect(permitted.status).toBe('success');
        await chain.node.revert({ id: snapshot });
      }

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
        await signHash(chain, agent, hashTypedData(authorization)),
      ]);
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

  it('behavior: announces what it answers and receives (ERC-165)', async () => {
    const agent = await configuredAgent(chain);
    const supports = (id: Hex) => chain.read(agent.address, yieldVaultAccountAbi, 'supportsInterface', [id]);
    for (const [name, signatures] of Object.entries(interfaces)) {
      const id = signatures.map((signature) => BigInt(toFunctionSelector(signature)));
      const xored = numberToHex(
        id.reduce((a, b) => a ^ b),
        { size: 4 },
      );
      expect([name, await supports(xored)]).toEqual([name, true]);
    }
    expect(await supports('0xffffffff')).toBe(false);
    // ERC-777, which it does not receive.
    expect(await supports('0x0023de29')).toBe(false);
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
