import {
  type Hex,
  type PrivateKeyAccount,
  concatHex,
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
import { configuredAgent, farFuture, max, signHash } from '../support/account.js';
import { encode } from '../support/calls.js';
import { entryPoint, localContracts, operator, undone, useTestChain } from '../support/chain.js';
import { signPermit, usdcDomain } from '../support/paymaster.js';
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
  const chain = useTestChain();
  let agent: PrivateKeyAccount;
  beforeAll(async () => {
    agent = await configuredAgent(chain);
  });

  const isValidSignature = (hash: Hex, signature: Hex) =>
    chain.read(agent.address, yieldVaultAccountAbi, 'isValidSignature', [hash, signature]);

  describe('isValidSignature', () => {
    const hash = keccak256(stringToHex('bare'));

    it('behavior: 65 bytes are the owner over the bare hash, and 64 the same signature (EIP-2098)', async () => {
      const other = await chain.agent();
      const seen = new Set<number | undefined>();
      // Until both parities were seen: the upper bit of the second word holds it.
      for (let round = 0; seen.size < 2; round++) {
        const asked = keccak256(numberToHex(round));
        const [own, foreign] = [await agent.sign({ hash: asked }), await other.sign({ hash: asked })];
        const { signature, parity } = compact(own);
        seen.add(parity);
        for (const form of [own, signature]) {
          expect(await isValidSignature(asked, form)).toBe(magic);
          expect(await isValidSignature(hash, form)).toBe(invalid);
        }
        const flipped = numberToHex(BigInt(slice(signature, 32)) ^ (1n << 255n), { size: 32 });
        for (const form of [foreign, compact(foreign).signature, concatHex([slice(own, 0, 32), flipped])]) {
          expect(await isValidSignature(asked, form)).toBe(invalid);
        }
      }
    });

    it('behavior: high-s is refused in both forms, and so is what recovers to nobody', async () => {
      const { r, s, yParity } = parseSignature(await agent.sign({ hash }));
      const high = curveOrder - BigInt(s);
      for (const signature of [
        concatHex([r, numberToHex(high, { size: 32 }), yParity ? '0x1b' : '0x1c']),
        // The parity takes the bit that a high s needs, so that the compact form can only hold another s.
        concatHex([r, numberToHex(high & ~(1n << 255n), { size: 32 })]),
        `0x${'00'.repeat(64)}`,
        `0x${'00'.repeat(65)}`,
      ] as const) {
        expect(await isValidSignature(hash, signature)).toBe(invalid);
      }
    });

    it('behavior: any other length is invalid, and no module is asked', async () => {
      const inner = await signHash(chain, agent, hash);
      const owner = await agent.sign({ hash });
      for (const signature of [
        '0x',
        slice(owner, 0, 63),
        concatHex([owner, '0x00']),
        inner,
        concatHex([localContracts.validator, inner]),
        concatHex([localContracts.validator, owner]),
      ] as const) {
        expect(await isValidSignature(hash, signature)).toBe(invalid);
      }
    });

    it('behavior: USDC permits and EIP-3009 authorizations keep working after the delegation', async () => {
      const spender = operator.address;
      const permit = await signPermit(chain, agent, 3n, spender);
      for (const signature of [permit, compact(permit).signature]) {
        const args = [agent.address, spender, 3n, max, signature];
        const { status } = await undone(chain, () => chain.write(chain.usdc, localUsdcAbi, 'permit', args));
        expect(status).toBe('success');
      }

      const authorization = {
        domain: usdcDomain(chain),
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
          to: spender,
          value: 4n,
          validAfter: 0n,
          validBefore: BigInt(farFuture),
          nonce: zeroHash,
        },
      } as const;
      const transfer = (signature: Hex) =>
        [agent.address, spender, 4n, 0n, BigInt(farFuture), zeroHash, signature] as const;
      const inner = await signHash(chain, agent, hashTypedData(authorization));
      const viaModule = transfer(concatHex([localContracts.validator, inner]));
      const data = encode(localUsdcAbi, 'transferWithAuthorization', viaModule);
      expect(await revertOf(chain, { to: chain.usdc, data })).toEqual([
        'Error',
        'FiatTokenV2: invalid signature',
      ]);
      const args = transfer(await agent.signTypedData(authorization));
      const moved = await chain.write(chain.usdc, localUsdcAbi, 'transferWithAuthorization', args);
      expect(moved.status).toBe('success');
    });
  });

  it('behavior: receives ether, ERC-721 and ERC-1155', async () => {
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
    const supports = (id: Hex) => chain.read(agent.address, yieldVaultAccountAbi, 'supportsInterface', [id]);
    for (const [name, signatures] of Object.entries(interfaces)) {
      const selectors = signatures.map((signature) => BigInt(toFunctionSelector(signature)));
      const id = selectors.reduce((a, b) => a ^ b);
      expect([name, await supports(numberToHex(id, { size: 4 }))]).toEqual([name, true]);
    }
    // The last one is ERC-777, which it does not receive.
    for (const id of ['0xffffffff', '0x0023de29'] as const) expect(await supports(id)).toBe(false);
  });

  it('behavior: names itself, its default modules and its entry point', async () => {
    const names = ['accountId', 'entryPoint', 'defaultValidator', 'defaultExecutor'] as const;
    const read = names.map((name) => chain.read(agent.address, yieldVaultAccountAbi, name));
    const { executor, validator } = localContracts;
    expect(await Promise.all(read)).toEqual(['yieldvault.account.1.0.0', entryPoint, validator, executor]);
    expect(yieldVaultAccountBytecode.length / 2).toBeLessThan(24_576);
  });
});
