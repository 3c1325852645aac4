import { canonical } from '@yield-vault/contracts';
import { fundWallet } from '@yield-vault/devnet';
import {
  concat,
  encodeAbiParameters,
  encodePacked,
  pad,
  parseEther,
  size,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import { toPackedUserOperation } from 'viem/account-abstraction';
import { encodeCall, type Call, type Contender, type Sender } from './sender.js';

const artifacts = '@safe-global/safe-4337/build/artifacts';
const core = `${artifacts}/@safe-global/safe-contracts/contracts`;
const delegateCall = 1;

/** Safe with its module for ERC-4337, which pays in ETH: our paymaster knows only our account. */
export async function createSafe({
  local,
  chain,
  wallet,
  send,
  deploy,
  sendOperation,
}: Sender): Promise<Contender> {
  const singleton = await deploy(`${core}/Safe.sol/Safe.json`);
  const factory = await deploy(`${core}/proxies/SafeProxyFactory.sol/SafeProxyFactory.json`);
  const multiSend = await deploy(`${core}/libraries/MultiSend.sol/MultiSend.json`);
  const moduleSetup = await deploy(`${artifacts}/contracts/SafeModuleSetup.sol/SafeModuleSetup.json`);
  // The module is published for EntryPoint v0.7; the operation of v0.8 has the same fields.
  const entryPoint = encodeAbiParameters([{ type: 'address' }], [canonical.entryPointV08]);
  const module = await deploy(`${artifacts}/contracts/Safe4337Module.sol/Safe4337Module.json`, entryPoint);

  const sendAll = (calls: readonly (Call & { readonly operation?: number })[]): Call => {
    const packed = calls.map(({ to, data, operation = 0 }) =>
      encodePacked(
        ['uint8', 'address', 'uint256', 'uint256', 'bytes'],
        [operation, to, 0n, BigInt(size(data)), data],
      ),
    );
    return encodeCall(multiSend, 'multiSend', [concat(packed)]);
  };
  const first = encodeCall(moduleSetup, 'enableModules', [[module.address]]);
  const { data: setup } = encodeCall(singleton, 'setup', [
    ...[[wallet.address], 1n, first.to, first.data],
    ...[module.address, zeroAddress, 0n, zeroAddress],
  ]);
  const functionName = 'createProxyWithNonce';
  const args = [singleton.address, setup, 0n];
  const { result } = await chain.rpc.simulateContract({ ...factory, functionName, args });
  const sender = result as Address;
  const { gasUsed } = await send(encodeCall(factory, functionName, args));
  // The Safe holds what the other contenders hold themselves.
  await fundWallet(local, sender, { ethWei: parseEther('1'), usdc: 1_000_000_000n });
  return {
    setup: gasUsed,
    holder: sender,
    run: (calls) => {
      const isOne = calls.length === 1;
      const { to, data } = isOne ? calls[0]! : sendAll(calls);
      const args = [to, 0n, data, isOne ? 0 : delegateCall];
      const { data: callData } = encodeCall(module, 'executeUserOp', args);
      const signature = pad('0x', { size: 12 });
      const parts = { sender, callData, signature } as const;
      return sendOperation(parts, async (operation) => {
        const args = [toPackedUserOperation(operation)];
        const hash = await chain.rpc.readContract({ ...module, functionName: 'getOperationHash', args });
        // Both ends of the window are open.
        return concat([signature, await wallet.sign({ hash: hash as Hex })]);
      });
    },
  };
}
