import {
  accepted,
  agentAddressBook,
  extendAddressBook,
  localAddressBook,
  verifyEnvelope,
} from '@yield-vault/agent-client';
import { entryPointV08Abi } from '@yield-vault/contracts';
import { eip7702Marker, type UserOperation } from '@yield-vault/protocol';
import {
  encodeAccountCall,
  encodeGasGrant,
  encodeIntentSignature,
  encodePermitData,
  nonceKey,
  parseDelegation,
  stubIntentSignature,
  usdcPermitTypedData,
} from '@yield-vault/smart-account';
import { buildIntentEnvelope, signIntent } from '@yield-vault/testing';
import { localAddresses, localVaults } from '@yield-vault/testing/local';
import {
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  http,
  maxUint256,
  parseAbi,
  parseEther,
  type Address,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { activeBase, fundWallet, startDevnet, type Devnet } from '../src/index.js';

jest.setTimeout(120_000);

const permitAbi = parseAbi([
  'function nonces(address owner) view returns (uint256)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)',
]);
const funds = 50_000_000n;
const amount = 10_000_000n;
const { usdc } = localAddresses[8453];
const vault = localVaults[8453][0]!.address;

describe.each(['own', 'circle'] as const)(
  'a wallet with USDC, without ether and delegation, and the paymaster %s',
  (paymasterKind) => {
    /** Most that gas may cost: the maximum of the grant, or the allowance. */
    const maximum = paymasterKind === 'own' ? 2_000_000n : 20_000_000n;
    let devnet: Devnet;
    beforeAll(async () => {
      devnet = await startDevnet({ chains: ['base'], historyDays: 1, gas: { paymaster: paymasterKind } });
    });
    afterAll(() => devnet?.stop());

    /** Sign authorization and intent of a new wallet's deposit, and a permit of Circle's paymaster. */
    async function prepare() {
      const chain = devnet.chains[0]!;
      const { rpc, bundler, ...base } = activeBase(chain, { kind: paymasterKind });
      const { account, paymaster, validator } = chain.contracts;
      const { chainId, entryPoint } = base;
      const key = generatePrivateKey();
      const wallet = privateKeyToAccount(key);
      const owner = wallet.address;
      await fundWallet(chain, owner, { usdc: funds });

      const authorization = await wallet.signAuthorization({ address: account, chainId, nonce: 0 });
      const nonce = await rpc.readContract({
        address: usdc,
        abi: permitAbi,
        functionName: 'nonces',
        args: [owner],
      });
      const permit = { chainId, usdc, owner, spender: paymaster, value: maximum, nonce };
      const permitSignature = await wallet.signTypedData(usdcPermitTypedData(permit));
      const isOwn = paymasterKind === 'own';
      const expiry = Math.floor(Date.now() / 1000) + 600;
      const draft: UserOperation = {
        sender: owner,
        nonce: nonceKey(validator) << 64n,
        factory: eip7702Marker,
        authorization,
        callData: encodeAccountCall([{ hook: 'deposit', vault, token: usdc, amount, minShares: 1n }]),
        callGasLimit: 0n,
        verificationGasLimit: 0n,
        preVerificationGas: 0n,
        ...(await bundler!.gasPrice()),
        paymaster,
        paymasterVerificationGasLimit: 0n,
        paymasterPostOpGasLimit: 0n,
        paymasterData: isOwn
          ? encodeGasGrant({ token: usdc, maximum })
          : encodePermitData({ token: usdc, value: maximum, signature: permitSignature }),
        signature: stubIntentSignature(expiry, 0),
      };
      const gas = await bundler!.estimate(draft);
      // A stub signature grants nothing, so an estimate lacks what the account pays with.
      const grantGas = isOwn && { paymasterVerificationGasLimit: 64_000n };
      const operation = { ...draft, ...gas, ...grantGas, paymasterPostOpGasLimit: 40_000n };
      // With the fields of the interface alone; viem adds another.
      const { address, r, s, yParity } = authorization;
      const eip7702Auth = { chainId, address, nonce: 0, yParity: yParity!, r, s };
      const envelope = buildIntentEnvelope({
        chainId,
        entryPoint,
        validator,
        expiry,
        operation: { ...operation, authorization: eip7702Auth, signature: '0x' },
      });
      const { userOpHash, signing } = accepted(
        verifyEnvelope(
          envelope,
          {
            wallet: owner,
            chain: 'base',
            operation: { kind: 'deposit', vault, amount, minShares: 1n },
            // The address book of Circle's paymaster expects the fees of the real Base.
            maxGasUsdc: maximum,
            maxFeePerGas: draft.maxFeePerGas,
            maxPriorityFeePerGas: draft.maxPriorityFeePerGas,
            gaslessSetup: { authorizationNonce: 0, ...(!isOwn && { permitNonce: nonce }) },
          },
          { addressBook: extendAddressBook(localAddressBook, agentAddressBook) },
        ),
      );
      const signature = await signIntent(signing, key);
      const signed: UserOperation = {
        ...operation,
        signature: encodeIntentSignature({ expiry, validAfter: 0, signature, proof: [] }),
      };
      const balanceOf = (token: Address) =>
        rpc.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
      const signatures = { authorization, permitSignature, signed, userOpHash };
      return { ...signatures, chain, rpc, bundler: bundler!, wallet, account, balanceOf };
    }

    type Prepared = Awaited<ReturnType<typeof prepare>>;

    /** Check that the operation delegated and deposited, and that USDC alone paid. */
    async function requireDeposit(prepared: Prepared): Promise<void> {
      const { rpc, wallet, account, userOpHash, balanceOf } = prepared;
      const { address } = wallet;
      await waitForPosition(() => balanceOf(vault));
      const [event] = await rpc.getContractEvents({
        address: prepared.chain.entryPoint,
        abi: entryPointV08Abi,
        eventName: 'UserOperationEvent',
        args: { userOpHash },
        fromBlock: 'earliest',
      });
      expect(event?.args).toMatchObject({ sender: address, success: true });
      expect(parseDelegation((await rpc.getCode({ address }))!)).toBe(account);
      expect(await rpc.getBalance({ address })).toBe(0n);
      const gasUsdc = funds - amount - (await balanceOf(usdc));
      expect(gasUsdc).toBeGreaterThan(0n);
      expect(gasUsdc).toBeLessThan(maximum);
    }

    it('default: one operation delegates, pays for its gas and deposits', async () => {
      const prepared = await prepare();
      const { bundler, signed, userOpHash } = prepared;
      expect(await bundler.send(signed)).toEqual({ outcome: 'accepted', userOpHash });
      await requireDeposit(prepared);
    });

    /** Let a stranger use the authorization and the permit, as anybody can who has seen them. */
    async function useSignatures({
      chain,
      rpc,
      wallet,
      authorization,
      permitSignature,
    }: Prepared): Promise<void> {
      const stranger = privateKeyToAccount(generatePrivateKey());
      await fundWallet(chain, stranger.address, { ethWei: parseEther('0.01') });
      const client = createWalletClient({ account: stranger, transport: http(chain.rpcUrl) });
      const authorizationList = [authorization];
      const { paymaster } = chain.contracts;
      const args = [wallet.address, paymaster, maximum, maxUint256, permitSignature] as const;
      const data = encodeFunctionData({ abi: permitAbi, functionName: 'permit', args });
      const hash = await client.sendTransaction({ chain: null, to: usdc, data, authorizationList });
      expect(await rpc.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
      expect(await rpc.getTransactionCount({ address: wallet.address })).toBe(1);
    }

    it('behavior: with a new authorization, after somebody else used the signatures', async () => {
      const prepared = await prepare();
      await useSignatures(prepared);
      const { bundler, wallet, signed, userOpHash, account, chain } = prepared;
      expect(await bundler.send(signed)).toMatchObject({ outcome: 'refused' });
      const { chainId } = chain;
      const authorization = await wallet.signAuthorization({ address: account, chainId, nonce: 1 });
      expect(await bundler.send({ ...signed, authorization })).toEqual({ outcome: 'accepted', userOpHash });
      await requireDeposit(prepared);
    });

    // The last test: Alto 0.0.20 hashes such an operation wrongly and ends itself once it has included it.
    it('behavior: without an authorization, after somebody else used the signatures', async () => {
      const prepared = await prepare();
      await useSignatures(prepared);
      const { authorization: _, ...signed } = prepared.signed;
      const sent = await prepared.bundler.send(signed);
      expect(sent).toMatchObject({ outcome: 'accepted' });
      expect(sent).not.toMatchObject({ userOpHash: prepared.userOpHash });
      await requireDeposit(prepared);
    });
  },
);

async function waitForPosition(read: () => Promise<bigint>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while ((await read()) === 0n) {
    if (Date.now() > deadline) throw new Error('The deposit was not included');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
