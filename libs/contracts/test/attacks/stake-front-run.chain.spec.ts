import { concatHex, parseEther } from 'viem';
import { canonical, contractAddresses, paymasterDeployment } from '../../src/address-book.js';
import { chainFacts } from '../../src/chains/chains.js';
import { deployContracts } from '../../src/deploy-contracts.js';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { entryPoint, useTestChain } from '../support/chain.js';

describe('attack: a stranger deploys the paymaster of an operator first, without its stake', () => {
  const chain = useTestChain();

  it('the report says that the paymaster has no stake, or the stake is there', async () => {
    const stranger = await chain.agent();
    // A Safe: it does not sign on the first day.
    const roles = { owner: (await chain.agent()).address };
    const { salt, initCode } = paymasterDeployment(chainFacts(8453), roles);
    // 2,229,021 gas.
    await chain.mined(
      chain
        .walletOf(stranger)
        .sendTransaction({ to: canonical.create2Deployer, data: concatHex([salt, initCode]) }),
    );
    // It reports `present`, and no more.
    await deployContracts(chain.wallet, chain.client, {
      paymaster: roles,
      paymasterStakeWei: parseEther('1'),
    });
    const { paymaster } = contractAddresses(8453, roles);
    const { stake } = await chain.read(entryPoint, entryPointV08Abi, 'getDepositInfo', [paymaster]);
    expect(stake).toBe(parseEther('1'));
  });
});
