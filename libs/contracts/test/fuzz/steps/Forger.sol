// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Steps} from "../Steps.sol";
import {IValidator, PackedUserOperation} from "../Vm.sol";

/// @dev Operations that nobody signed as they are sent.
abstract contract Forger is Steps {
    bytes[] private _used;

    /// An operation that was signed, then changed, or signed by another, or outside its window, is never accepted.
    function tamper() internal {
        prepare();
        uint256 account = random(3);
        Plan memory p = sound(account);
        PackedUserOperation memory op = p.op;
        for (uint256 i; i < 4; ++i) {
            uint256 bit = random(op.signature.length * 8);
            _refuse(p, op.signature, bit);
            _refuse(p, op.callData, random(op.callData.length * 8));
            _refuse(p, op.paymasterAndData, random(op.paymasterAndData.length * 8));
            uint256 mask = 1 << random(256);
            op.accountGasLimits ^= bytes32(mask);
            _refuse(p);
            op.accountGasLimits ^= bytes32(mask);
            op.gasFees ^= bytes32(mask);
            _refuse(p);
            op.gasFees ^= bytes32(mask);
            op.preVerificationGas ^= mask;
            _refuse(p);
            op.preVerificationGas ^= mask;
        }
        bytes memory whole = op.signature;
        op.signature = bytes.concat(whole, bytes32(random(type(uint256).max)));
        _refuse(p);
        op.signature = slice(whole, 0, 77);
        if (whole.length != 77) _refuse(p);
        op.sender = accounts[(account + 1) % 3];
        _refuse(p);
        op.sender = accounts[account];
        sign(p, keys[(account + 1) % ACCOUNTS]);
        _refuse(p);
        if (chance(50)) p.expiry = uint48(chance(50) ? 0 : random(block.timestamp));
        else p.validAfter = uint48(block.timestamp + random(1e6));
        sign(p, keys[account]);
        _refuse(p);
    }

    function _refuse(Plan memory p, bytes memory data, uint256 bit) private {
        data[bit >> 3] ^= bytes1(uint8(1 << (bit & 7)));
        _refuse(p);
        data[bit >> 3] ^= bytes1(uint8(1 << (bit & 7)));
    }

    function _refuse(Plan memory p) private {
        ++counts[CALLS];
        ++counts[TAMPERED];
        (bool ok, ) = address(entryPoint).call{gas: 30e6}(encoded(one(p)));
        require(!ok, "a changed operation was accepted");
    }

    /// A grant of too little, of another token, or none at all, signed as it should be, pays for nothing.
    function underpay() internal {
        prepare();
        uint256 account = random(3);
        Plan memory p = sound(account);
        (uint256 rate, ) = paymaster.tokenPerNative();
        uint256 prefund = prefundOf(p, rate);
        bytes memory whole = grant(address(usdc), type(uint96).max);
        bytes[5] memory data = [
            prefund == 0 ? bytes("") : grant(address(usdc), prefund - 1 - random(prefund)),
            grant(address(tokens[1 + random(2)]), type(uint96).max),
            bytes.concat(bytes4(uint32(random(1 << 32))), slice(whole, 4, 36)),
            bytes.concat(whole, "1"),
            slice(whole, 0, random(36))
        ];
        for (uint256 i; i < data.length; ++i) {
            setPayment(p, 300_000, data[i]);
            sign(p, keys[account]);
            _refuse(p);
        }
    }

    /// Another hash, window or validator gives another leaf, and no hash of 64 bytes is one.
    function distinguishLeaves() internal {
        IValidator one = IValidator(validator);
        for (uint256 i; i < 20; ++i) {
            (bytes32 hash, uint48 expiry, uint48 validAfter) = (bytes32(random(1 << 255)), uint48(spread(48)), uint48(spread(48)));
            bytes32 leaf = one.leafOf(hash, expiry, validAfter);
            bytes memory content = abi.encode(hash, expiry, validAfter, validator);
            require(leaf != one.leafOf(hash ^ bytes32(1 << random(256)), expiry, validAfter), "a leaf of two hashes");
            require(leaf != one.leafOf(hash, expiry ^ uint48(1 << random(48)), validAfter), "a leaf of two expiries");
            require(leaf != one.leafOf(hash, expiry, validAfter ^ uint48(1 << random(48))), "a leaf of two starts");
            require(leaf != otherValidator.leafOf(hash, expiry, validAfter), "a leaf of two validators");
            require(leaf != keccak256(content), "a leaf of one hash");
            require(leaf == keccak256(abi.encode(keccak256(content))), "another leaf");
        }
    }

    /// Neither an operation that ran nor a new one with its nonce is accepted.
    function replay() internal {
        if (_used.length == 0) return;
        ++counts[REPLAYED];
        ++counts[CALLS];
        prepare();
        Plan memory p = sound(0);
        PackedUserOperation memory old = abi.decode(_used[random(_used.length)], (PackedUserOperation));
        if (chance(50)) {
            p.op = old;
        } else {
            p.op.nonce = old.nonce;
            for (uint256 i; i < ACCOUNTS; ++i) if (accounts[i] == old.sender) p.account = i;
            p.op.sender = old.sender;
            sign(p, keys[p.account]);
        }
        (bool ok, ) = address(entryPoint).call{gas: 30e6}(encoded(one(p)));
        require(!ok, "a used nonce was accepted");
    }

    function remember(PackedUserOperation memory op) internal {
        if (_used.length < 8) _used.push(abi.encode(op));
        else _used[random(8)] = abi.encode(op);
    }
}
