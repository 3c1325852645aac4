// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Checks} from "./Checks.sol";
import {TrivialAccount} from "./Hostile.sol";
import {PackedUserOperation, VM} from "./Vm.sol";

/// @dev A stranger who looks for profit: it chooses fees, limits, funding, calls, the order and the size of bundles of its
/// own accounts, and sends several in one transaction. A step is one.
abstract contract Drain is Checks {
    uint256 private constant DRAINERS = 3;
    bytes4 private constant EXECUTE_USER_OP = 0x8dd7712f;
    TrivialAccount[] private _drainers;
    uint256 private _fee;
    uint256 private _owed;
    bool private _gave;

    function drain() internal {
        ++counts[DRAINS];
        while (_drainers.length < DRAINERS) {
            _drainers.push(new TrivialAccount(usdc, paymaster, entryPoint));
            usdc.approve(address(_drainers[_drainers.length - 1]), type(uint256).max);
            VM.deal(address(_drainers[_drainers.length - 1]), 1e24);
        }
        setUsdc(address(this), 1e30);
        _gave = false;
        int256 total;
        for (uint256 i = random(4); i < 4; ++i) total += _round();
        require(total >= 0, "a stranger took from the deposit");
    }

    function _round() private returns (int256 gained) {
        (uint256 rate, ) = paymaster.tokenPerNative();
        uint256 earned = usdc.balanceOf(address(paymaster));
        uint256 deposit = entryPoint.balanceOf(address(paymaster));
        uint256 size = chance(60) ? 1 : 2 + random(3);
        PackedUserOperation[] memory ops = new PackedUserOperation[](size);
        uint256[DRAINERS] memory nonces;
        for (uint256 i; i < size; ++i) {
            uint256 who = random(DRAINERS);
            ops[i] = _operation(address(_drainers[who]), nonces[who]++, rate);
            // Exactly the prefund, or more, or less.
            uint256 given = chance(75) ? _owed : chance(80) ? _owed + spread(40) : random(_owed + 1);
            usdc.transfer(ops[i].sender, given);
        }
        ++counts[CALLS];
        try entryPoint.handleOps{gas: 60e6}(ops, BENEFICIARY) {
            counts[DRAINED] += size;
        } catch {
            ++counts[REFUSED];
        }
        uint256 income = usdc.balanceOf(address(paymaster)) - earned;
        uint256 left = entryPoint.balanceOf(address(paymaster));
        gained = int256((income * 1e18) / rate) + int256(left) - int256(deposit);
        // A gift to the deposit is part of the whole.
        if (!_gave) checkProfit(income, deposit - left, rate, size == 1 ? _fee : 0, 3);
        for (uint256 i; i < DRAINERS; ++i) {
            if (chance(85)) _sweep(address(_drainers[i]));
        }
    }

    function _sweep(address account) private {
        usdc.transferFrom(account, address(this), usdc.balanceOf(account));
    }

    function _operation(address account, uint256 later, uint256 rate) private returns (PackedUserOperation memory op) {
        op.sender = account;
        op.nonce = entryPoint.getNonce(account, 0) + later;
        uint256 verification = chance(90) ? 100_000 + random(1e5) : spread(17);
        uint256 payment = chance(90) ? 100_000 + random(1e5) : spread(17);
        uint256 call = chance(20) ? 0 : 50_000 + random(2e5);
        uint256 postOp = chance(60) ? 33_000 + random(7_000) : chance(60) ? 33_000 + random(2e5) : spread(17);
        uint256 most = chance(50) ? 1e9 + spread(40) : spread(40);
        uint256 priority = chance(60) ? most : spread(40);
        _fee = most < priority + block.basefee ? most : priority + block.basefee;
        op.preVerificationGas = chance(60) ? 0 : spread(20);
        op.accountGasLimits = bytes32((verification << 128) | call);
        op.gasFees = bytes32((priority << 128) | most);
        op.paymasterAndData = abi.encodePacked(paymaster, uint128(payment), uint128(postOp));
        Plan memory p;
        (p.op, p.postOpLimit) = (op, postOp);
        p.maxGas = verification + payment + call + postOp + op.preVerificationGas;
        _owed = prefundOf(p, rate);
        op.callData = _callData(p.maxGas * most);
        op.signature = new bytes(chance(80) ? 0 : random(9_000));
    }

    /// @param debt What the entry point takes from the deposit until the operation ends.
    function _callData(uint256 debt) private returns (bytes memory) {
        if (chance(25)) return "";
        if (chance(15)) return abi.encodePacked(EXECUTE_USER_OP);
        uint256 what = 1 + random(7);
        if (what == 5) _gave = true;
        bytes memory data = abi.encodePacked(bytes4(uint32(what)), what == 5 ? debt : _owed);
        return chance(70) ? data : bytes.concat(data, new bytes(random(9_000)));
    }
}
