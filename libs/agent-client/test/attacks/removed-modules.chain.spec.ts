import { walletContracts, yieldVaultAccountAbi } from '@yield-vault/contracts';
import { testAccount } from '@yield-vault/testing';
import { encodeFunctionData, zeroAddress } from 'viem';
import { createWalletNode } from '../../src/flow/wallet-node.js';
import { verifySetupWithNode } from '../../src/flow/verify-with-node.js';
import { signSetup } from '../../src/sign/sign-setup.js';
import { localAddressBook as addressBook } from '../../src/index.js';
import { startContractsChain, type ContractsChain } from '../start-contracts-chain.js';
import { soon } from '../support/build-prepared.js';
import { buildSetupResponse } from '../support/build-setup.js';

let chain: ContractsChain;
beforeAll(async () => {
  chain = await startContractsChain();
}, 60_000);
afterAll(() => chain.stop());

describe('attack: a bare delegation of a wallet that removed its validator module', () => {
  it('what a verified setup says that it installs is installed afterwards', async () => {
    const { validator, account } = walletContracts;
    const name = 'returning';
    const signer = testAccount(name);
    const wallet = await chain.fund(name);
    const data = encodeFunctionData({
      abi: yieldVaultAccountAbi,
      functionName: 'uninstallModule',
      args: [1n, validator, '0x'],
    });
    await chain.send(name, { data, delegate: account });
    await chain.send(name, { delegate: zeroAddress });

    const prepared = buildSetupResponse({
      setup: {
        to: wallet,
        gas: { gasLimit: '80000', maxFeePerGas: '3000000000', maxPriorityFeePerGas: '1000000000' },
      },
      ticket: { walletAddress: wallet, expiresAt: new Date(soon() * 1_000).toISOString() },
    });
    const verified = await verifySetupWithNode(
      { wallet, rpcUrl: chain.rpcUrl, chain: 'base', addressBook },
      prepared,
    );
    const node = createWalletNode(chain.rpcUrl);
    const raw = await signSetup(signer, verified, await node.nonceOf(wallet));
    expect(await chain.sendRaw([raw])).toEqual(['success']);
    const installed = await chain.rpc.readContract({
      address: wallet,
      abi: yieldVaultAccountAbi,
      functionName: 'isModuleInstalled',
      args: [1n, validator, '0x'],
    });
    const says = verified.summary.some((line) => line.includes(`validator module ${validator}`));
    expect({ says, installed }).toEqual({ says: true, installed: true });
  });
});
