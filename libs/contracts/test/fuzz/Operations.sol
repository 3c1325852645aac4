// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IAccount, PackedUserOperation, VM} from "./Vm.sol";
import {World} from "./World.sol";

/// @dev Builds and signs operations. Hashes and digests are computed here by their definition, not asked of the contracts.
abstract contract Operations is World {
    uint256 internal constant HOOKS = 3;

    /// What the signer allowed, beside the operation itself.
    struct Plan {
        uint256 account;
        PackedUserOperation op;
        bytes32 hash;
        uint48 expiry;
        uint48 validAfter;
        /// Most of each token and of each vault's shares that may leave.
        uint256[3] tokens;
        uint256[VAULTS] shares;
        /// Of a plan with one vault hook: what must have come in, and where; vault 99 when there is none.
        uint256 vault;
        bool isDeposit;
        uint256 minimum;
        /// Nothing in it can fail: honest vaults, limits that suffice.
        bool isSound;
        uint256 maxGas;
        uint256 postOpLimit;
        uint256 key;
        /// Most of `tokens[payToken]` that its gas may cost, whatever its paymaster is.
        uint256 maximum;
        uint256 payToken;
        bool isGreedy;
        /// What {SPENDER} may take afterwards; the highest number if that does not change.
        uint256 approved;
    }

    bytes4 internal constant GRANT_MARK = bytes4(keccak256("GasGrant(address token,uint96 maximum)"));
    /// A paymaster that is paid from an allowance.
    address internal constant SPENDER = address(0x5bed);

    function plan(uint256 account) internal returns (Plan memory p) {
        p.account = account;
        (p.vault, p.approved) = (99, type(uint256).max);
        (bool isAmple, bool isHonest) = (chance(85), chance(65));
        p.isSound = isAmple && isHonest;
        p.op.sender = accounts[account];
        p.key = random(3);
        p.op.nonce = entryPoint.getNonce(p.op.sender, nonceKey(p.key));
        p.op.callData = abi.encodeCall(IAccount.runHooks, (_hooks(p)));
        _gas(p, isAmple);
        (p.expiry, p.validAfter) = (uint48(block.timestamp + 1 + random(1e6)), uint48(random(block.timestamp)));
    }

    function nonceKey(uint256 key) internal view returns (uint192) {
        return uint192((uint256(uint160(validator)) << 32) | key);
    }

    function sign(Plan memory p, uint256 key) internal {
        p.hash = entryPoint.getUserOpHash(p.op);
        p.op.signature = signature(p.hash, p.expiry, p.validAfter, random(4), key);
    }

    function signature(
        bytes32 hash,
        uint48 expiry,
        uint48 validAfter,
        uint256 siblings,
        uint256 key
    ) internal returns (bytes memory) {
        bytes32 root = keccak256(bytes.concat(keccak256(abi.encode(hash, expiry, validAfter, validator))));
        bytes memory proof;
        for (uint256 i; i < siblings; ++i) {
            bytes32 sibling = bytes32(random(type(uint256).max));
            proof = bytes.concat(proof, sibling);
            root = root < sibling
                ? keccak256(bytes.concat(root, sibling))
                : keccak256(bytes.concat(sibling, root));
        }
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("YieldVaultIntent"),
                keccak256("1"),
                block.chainid,
                validator
            )
        );
        bytes32 content = keccak256(
            abi.encode(
                keccak256("Intent(bytes32 merkleRoot,uint256 chainId,uint48 expiry,uint48 validAfter)"),
                root,
                block.chainid,
                expiry,
                validAfter
            )
        );
        return
            bytes.concat(
                bytes6(expiry),
                bytes6(validAfter),
                signed(keccak256(abi.encodePacked(hex"1901", domain, content)), key),
                proof
            );
    }

    function signed(bytes32 digest, uint256 key) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = VM.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    function setPayment(Plan memory p, uint256 verification, bytes memory data) internal view {
        p.op.paymasterAndData = abi.encodePacked(paymaster, uint128(verification), uint128(p.postOpLimit), data);
    }

    function grant(address token, uint256 maximum) internal pure returns (bytes memory) {
        return abi.encodePacked(GRANT_MARK, token, uint96(maximum));
    }

    /// What the paymaster pulls for `p`: the five limits, its own gas and the penalty, at the highest fee.
    function prefundOf(Plan memory p, uint256 rate) internal view returns (uint256) {
        uint256 penalty = p.postOpLimit > 40_000 ? p.postOpLimit / 10 : 0;
        uint256 wei_ = (p.maxGas + paymaster.POST_OP_GAS() + penalty) * (uint256(p.op.gasFees) & type(uint128).max);
        return (wei_ * rate + 1e18 - 1) / 1e18;
    }

    /// What the feeds give now by the rules: prices in bounds, none too old, the sequencer up for an hour.
    function modelPrice() internal view returns (bool usable, uint64 price, uint48 validUntil) {
        (, int256 eth, , uint256 ethAt, ) = ethUsd.latestRoundData();
        (, int256 usd, , uint256 usdAt, ) = usdcUsd.latestRoundData();
        if (eth < 100e8 || eth > 100_000e8 || usd < 0.5e8 || usd > 1.1e8) return (false, 0, 0);
        if (isBase) {
            (, int256 down, , uint256 since, ) = sequencer.latestRoundData();
            if (down != 0 || since + 1 hours > block.timestamp) return (false, 0, 0);
        }
        uint256 until = block.timestamp + maxAge();
        if (ethAt + nativeMaxAge() < until) until = ethAt + nativeMaxAge();
        if (usdAt + 25 hours < until) until = usdAt + 25 hours;
        usable = until > block.timestamp;
        price = uint64((uint256(eth) * 1e6 + uint256(usd) - 1) / uint256(usd));
        validUntil = uint48(until);
    }

    function _gas(Plan memory p, bool isAmple) private {
        uint256 verification = isAmple ? 150_000 + random(100_000) : spread(18);
        uint256 call = isAmple ? 1_500_000 + random(1e6) : spread(20) * 2;
        uint256 paymasterVerification = isAmple ? 160_000 + random(1e5) : spread(18);
        p.postOpLimit = isAmple ? 25_000 + random(150_000) : spread(18);
        uint256 preVerification = spread(17);
        uint256 most = chance(50) ? 1e9 + spread(36) : chance(10) ? 0 : spread(38);
        uint256 priority = chance(50) ? most : spread(35);
        p.op.accountGasLimits = bytes32((verification << 128) | call);
        p.op.preVerificationGas = preVerification;
        p.op.gasFees = bytes32((priority << 128) | most);
        p.maxGas = verification + call + paymasterVerification + p.postOpLimit + preVerification;
        (uint256 rate, ) = paymaster.tokenPerNative();
        p.maximum = prefundOf(p, rate);
        if (chance(50)) p.maximum += spread(80);
        if (p.maximum > type(uint96).max) p.maximum = type(uint96).max;
        setPayment(p, paymasterVerification, grant(address(usdc), p.maximum));
    }

    function _hooks(Plan memory p) private returns (bytes memory entries) {
        uint256 count = 1 + random(HOOKS);
        for (uint256 i; i < count; ++i) {
            if (chance(8)) {
                p.approved = spread(100);
                entries = abi.encodePacked(entries, uint8(3), SPENDER, usdc, p.approved);
                continue;
            }
            uint256 vault = random(VAULTS);
            if (p.isSound) vault = chance(50) ? 0 : 4;
            bool isDeposit = chance(60);
            uint256 amount = 1_000 + spread(30);
            uint256 minimum = p.isSound ? amount / 2 : 1 + spread(20);
            if (!p.isSound && chance(20)) {
                // What the hook before brought; the whole balance of shares.
                amount = type(uint256).max;
            }
            uint256 token = tokenOf(vault);
            entries = abi.encodePacked(
                entries,
                uint8(!isDeposit ? 2 : token == 0 && chance(60) ? 0x81 : 1),
                address(vaults[vault]),
                address(tokens[token]),
                amount,
                minimum
            );
            if (isDeposit) {
                if (amount != type(uint256).max) p.tokens[token] += amount;
                if (token == 0) p.tokens[0] += 1;
            } else if (amount == type(uint256).max) {
                p.shares[vault] = 1 << 200;
            } else {
                p.shares[vault] += amount;
            }
            (p.vault, p.isDeposit, p.minimum) = count == 1 ? (vault, isDeposit, minimum) : (99, false, 0);
        }
    }
}
