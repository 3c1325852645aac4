import { type Address, type Hex, decodeDeployData, keccak256, zeroAddress } from 'viem';
import { canonical, paymasterDeployment, walletContracts, walletDeployments } from './address-book.js';
import type { ChainFacts } from './chains/chain-facts.js';
import { knownChains } from './chains/chains.js';
import { usdcPaymasterAbi, usdcPaymasterBytecode } from './generated/UsdcPaymaster.js';
import { expectedCodeHashes } from './inspect-contracts.js';

/**
 * Describe what is deployed where, as `manifest.json` holds it. The address of our paymaster is
 * `CREATE2(deployer, salt, keccak256(creation code ‖ abi.encode(account, settings)))`, with owner and pauser at the end of
 * the settings.
 */
export function describeContracts() {
  const { paymaster: paymasterCodeHash, ...walletCodeHashes } = expectedCodeHashes;
  const wallet = Object.entries(walletContracts).map(([contract, address]) => [
    contract,
    { address, codeHash: walletCodeHashes[contract as keyof typeof walletContracts] },
  ]);
  return {
    contracts: Object.fromEntries(wallet) as Readonly<Record<string, { address: Address; codeHash: Hex }>>,
    paymaster: {
      deployer: canonical.create2Deployer,
      salt: walletDeployments().account.salt,
      creationCodeHash: keccak256(usdcPaymasterBytecode),
      codeHashWithZeroedImmutables: paymasterCodeHash,
    },
    chains: Object.fromEntries(knownChains.map((facts) => [facts.key, describeChain(facts)])),
  };
}

function describeChain(facts: ChainFacts) {
  const { initCode } = paymasterDeployment(facts, { owner: zeroAddress });
  const { args } = decodeDeployData({
    abi: usdcPaymasterAbi,
    bytecode: usdcPaymasterBytecode,
    data: initCode,
  });
  const { owner: _owner, pauser: _pauser, ...paymasterSettings } = args[1];
  return {
    chainId: facts.chainId,
    entryPoint: { address: canonical.entryPointV08, codeHash: facts.entryPointCodeHash },
    paymasterSettings,
  };
}
