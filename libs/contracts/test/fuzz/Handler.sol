// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Drain} from "./Drain.sol";
import {Greed} from "./Greed.sol";
import {Router} from "./Router.sol";
import {IAccount, IValidator, PackedUserOperation, VM} from "./Vm.sol";

/// @dev One step of a run: an operation, a bundle, an attack, or a change of the world.
contract Handler is Greed, Drain, Router {
    bytes[] private _used;

    constructor(bool isBase_) {
        build(isBase_);
    }

    function step(uint256 seed) external {
        seedWith(seed);
        ++counts[STEPS];
        uint256 what = random(100);
        if (what < 26) _operate();
        else if (what < 44) _inOneTransaction();
        else if (what < 49) _refundToEmpty();
        else if (what < 54) _refundToSame();
        else if (what < 62) _tamper();
        else if (what < 65) _underpay();
        else if (what < 67) _distinguishLeaves();
        else if (what < 71) _replay();
        else if (what < 76) intrude();
        else if (what < 78) removeModules(_sound(0));
        else if (what < 84) _beGreedy();
        else if (what < 88) useRouter();
        else changeWorld();
    }

    function check() external view {
        checkAttacks();
        checkRouter();
        for (uint256 i; i < ACCOUNTS; ++i) checkAllowances(i);
    }

    /// One to three accounts in one bundle.
    function _operate() private {
        _prepare();
        uint256 size = chance(75) ? 1 : 2 + random(2);
        uint256 first = random(3);
        Plan[] memory plans = new Plan[](size);
        bool isSound = true;
        for (uint256 i; i < size; ++i) {
            plans[i] = plan((first + i) % 3);
            sign(plans[i], keys[plans[i].account]);
            isSound = isSound && plans[i].isSound;
        }
        uint256 gas = isSound || chance(80) ? 30e6 : 100_000 + random(2e6);
        bool mustPass = isSound && _isPayable(plans);
        bool ok = bundle(plans, 0, gas, 0);
        require(ok || !mustPass, "a sound operation was refused");
        if (ok) {
            for (uint256 i; i < size; ++i) _remember(plans[i].op);
        }
    }

    function _inOneTransaction() private {
        _prepare();
        this.drain();
    }

    function _beGreedy() private {
        _prepare();
        beGreedy();
    }

    /// The sender is given its USDC in the same transaction, exactly the prefund or more, so that the refund may fill an
    /// empty slot.
    function _refundToEmpty() private {
        _prepare();
        Plan[] memory plans = _one(plan(3));
        plans[0].isSound = false;
        (uint256 rate, ) = paymaster.tokenPerNative();
        uint256 prefund = prefundOf(plans[0], rate);
        sign(plans[0], keys[3]);
        if (prefund == 0 || prefund > 1e12) return;
        if (bundle(plans, chance(50) ? prefund : prefund + plans[0].tokens[0], 30e6, 2)) {
            ++counts[FUNDED];
            _remember(plans[0].op);
        }
        uint256 rest = usdc.balanceOf(accounts[3]);
        VM.prank(accounts[3]);
        usdc.transfer(address(bundler), rest);
    }

    /// The operation redeems its prefund, so that the balance is what it was before the transaction.
    function _refundToSame() private {
        _prepare();
        uint256 account = random(3);
        Plan[] memory plans = _one(_sound(account));
        (uint256 rate, ) = paymaster.tokenPerNative();
        uint256 prefund = prefundOf(plans[0], rate);
        uint256 assets = usdc.balanceOf(address(vaults[0]));
        uint256 shares = (prefund * vaults[0].totalSupply() + assets - 1) / assets;
        if (prefund == 0 || shares > vaults[0].balanceOf(accounts[account])) return;
        bytes memory hook = abi.encodePacked(uint8(2), vaults[0], usdc, shares, uint256(1));
        plans[0].op.callData = abi.encodeCall(IAccount.runHooks, (hook));
        (plans[0].vault, plans[0].isDeposit, plans[0].minimum) = (0, false, 1);
        plans[0].approved = type(uint256).max;
        delete plans[0].tokens;
        delete plans[0].shares;
        plans[0].shares[0] = shares;
        sign(plans[0], keys[account]);
        bool mustPass = _isPayable(plans);
        bool ok = bundle(plans, 0, 30e6, 1);
        require(ok || !mustPass, "a sound operation was refused");
        if (ok) ++counts[EXACT];
    }

    /// An operation that was signed, then changed, or signed by another, or outside its window, is never accepted.
    function _tamper() private {
        _prepare();
        uint256 account = random(3);
        Plan memory p = _sound(account);
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
        op.signature = _slice(whole, 0, 77);
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
        (bool ok, ) = address(entryPoint).call{gas: 30e6}(encoded(_one(p)));
        require(!ok, "a changed operation was accepted");
    }

    /// A grant of too little, of another token, or none at all, signed as it should be, pays for nothing.
    function _underpay() private {
        _prepare();
        uint256 account = random(3);
        Plan memory p = _sound(account);
        (uint256 rate, ) = paymaster.tokenPerNative();
        uint256 prefund = prefundOf(p, rate);
        bytes memory whole = grant(address(usdc), type(uint96).max);
        bytes[5] memory data = [
            prefund == 0 ? bytes("") : grant(address(usdc), prefund - 1 - random(prefund)),
            grant(address(tokens[1 + random(2)]), type(uint96).max),
            bytes.concat(bytes4(uint32(random(1 << 32))), _slice(whole, 4, 36)),
            bytes.concat(whole, "1"),
            _slice(whole, 0, random(36))
        ];
        for (uint256 i; i < data.length; ++i) {
            setPayment(p, 300_000, data[i]);
            sign(p, keys[account]);
            _refuse(p);
        }
    }

    /// Another hash, window or validator gives another leaf, and no hash of 64 bytes is one.
    function _distinguishLeaves() private {
        IValidator one = IValidator(validator);
        for (uint256 i; i < 20; ++i) {
            (bytes32 hash, uint48 expiry, uint48 validAfter) = (bytes32(random(1 << 255)), uint48(spread(48)), uint48(spread(48)));
            bytes32 leaf = one.leafOf(hash, expiry, validAfter);
            bytes memory content = abi.encode(hash, expiry, validAfter, validator);
            require(leaf != keccak256(content) && leaf == keccak256(abi.encode(keccak256(content))), "another leaf");
            require(leaf != one.leafOf(hash ^ bytes32(1 << random(256)), expiry, validAfter), "a leaf of two hashes");
            require(leaf != one.leafOf(hash, expiry ^ uint48(1 << random(48)), validAfter), "a leaf of two expiries");
            require(leaf != one.leafOf(hash, expiry, validAfter ^ uint48(1 << random(48))), "a leaf of two starts");
            require(leaf != otherValidator.leafOf(hash, expiry, validAfter), "a leaf of two validators");
        }
    }

    /// Neither an operation that ran nor a new one with its nonce is accepted.
    function _replay() private {
        if (_used.length == 0) return;
        ++counts[REPLAYED];
        ++counts[CALLS];
        _prepare();
        Plan memory p = _sound(0);
        PackedUserOperation memory old = abi.decode(_used[random(_used.length)], (PackedUserOperation));
        if (chance(50)) {
            p.op = old;
        } else {
            p.op.nonce = old.nonce;
            for (uint256 i; i < ACCOUNTS; ++i) if (accounts[i] == old.sender) p.account = i;
            p.op.sender = old.sender;
            sign(p, keys[p.account]);
        }
        (bool ok, ) = address(entryPoint).call{gas: 30e6}(encoded(_one(p)));
        require(!ok, "a used nonce was accepted");
    }

    function _sound(uint256 account) private returns (Plan memory p) {
        do p = plan(account); while (!p.isSound);
        sign(p, keys[account]);
    }

    /// Mostly a price that is valid, and accounts that can pay.
    function _prepare() private {
        (, uint48 validUntil, uint48 refreshAt, , ) = paymaster.terms();
        if (validUntil < block.timestamp && chance(95)) {
            resetFeeds();
            paymaster.updatePrice();
        } else if (chance(15) && refreshAt > block.timestamp) {
            // The second half of the price's life.
            VM.warp(refreshAt + random(validUntil - refreshAt + 1));
            if (chance(80)) resetFeeds();
        }
        for (uint256 i; i < 3; ++i) {
            if (usdc.balanceOf(accounts[i]) < 1e11) replenish(i);
            for (uint256 v; v < VAULTS; v += 2) {
                if (vaults[v].balanceOf(accounts[i]) < 1e10) vaults[v].endow(accounts[i], 1e11);
            }
            if (tokens[2].balanceOf(accounts[i]) < 1e11) replenish(i);
        }
    }

    function _isPayable(Plan[] memory plans) private view returns (bool) {
        (uint256 rate, uint48 validUntil) = paymaster.tokenPerNative();
        (, , , , uint64 ceiling) = paymaster.terms();
        for (uint256 i; i < plans.length; ++i) {
            uint256 prefund = prefundOf(plans[i], rate);
            if (prefund > plans[i].maximum || prefund > ceiling || prefund > usdc.balanceOf(accounts[plans[i].account]) / 2) return false;
        }
        return validUntil >= block.timestamp;
    }

    function _remember(PackedUserOperation memory op) private {
        if (_used.length < 8) _used.push(abi.encode(op));
        else _used[random(8)] = abi.encode(op);
    }

    function _one(Plan memory p) private pure returns (Plan[] memory plans) {
        plans = new Plan[](1);
        plans[0] = p;
    }

    function _slice(bytes memory data, uint256 from, uint256 to) private pure returns (bytes memory part) {
        part = new bytes(to - from);
        for (uint256 i; i < part.length; ++i) part[i] = data[from + i];
    }
}
