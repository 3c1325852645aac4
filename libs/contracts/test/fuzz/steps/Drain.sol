// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Accomplice} from "../hostile/Accomplice.sol";
import {Checks} from "../Checks.sol";
import {IAccount, PackedUserOperation, UserOpsPerAggregator, VM} from "../Vm.sol";

/// @dev A stranger who looks for profit: it chooses fees, limits, funding, modules, calls, the order and the size of bundles
/// of its own accounts, and sends several in one transaction. A step is one.
abstract contract Drain is Checks {
    uint256 private constant DRAINERS = 3;
    bytes4 private constant EXECUTE_USER_OP = 0x8dd7712f;
    Accomplice private _accomplice;
    address[] private _drainers;
    uint256 private _fee;
    uint256 private _owed;
    bool private _gave;
    bool private _isAggregated;

    function drain() external {
        require(msg.sender == address(this));
        ++counts[DRAINS];
        if (_drainers.length == 0) _recruit();
        setUsdc(address(this), 1e30);
        _gave = false;
        int256 total;
        for (uint256 i = random(4); i < 4; ++i) total += _round();
        require(total >= 0, "a stranger took from the deposit");
    }

    function _recruit() private {
        _accomplice = new Accomplice(usdc, paymaster, entryPoint, tokens[1]);
        for (uint256 i; i < DRAINERS; ++i) {
            address account = VM.addr(uint256(keccak256(abi.encode("drainer", i))));
            VM.etch(account, abi.encodePacked(hex"ef0100", implementation));
            VM.deal(account, 1e24);
            _drainers.push(account);
            for (uint256 kind = 1; kind <= 3; ++kind) {
                VM.prank(account);
                bytes memory data = kind == 3 ? abi.encodePacked(EXECUTE_USER_OP) : bytes("");
                IAccount(account).installModule(kind, address(_accomplice), data);
            }
            VM.prank(account);
            usdc.approve(address(this), type(uint256).max);
            usdc.approve(account, type(uint256).max);
            tokens[1].approve(account, type(uint256).max);
            give(1, account, 1e30);
        }
    }

    function _round() private returns (int256 gained) {
        (uint256 rate, ) = paymaster.tokenPerNative();
        uint256 earned = usdc.balanceOf(address(paymaster));
        uint256 deposit = entryPoint.balanceOf(address(paymaster));
        uint256 size = chance(60) ? 1 : 2 + random(3);
        _isAggregated = chance(10);
        PackedUserOperation[] memory ops = new PackedUserOperation[](size);
        uint256[DRAINERS] memory nonces;
        for (uint256 i; i < size; ++i) {
            uint256 who = random(DRAINERS);
            ops[i] = _operation(_drainers[who], nonces[who]++, rate);
            // Exactly the prefund, or more, or less.
            uint256 given = chance(75) ? _owed : chance(80) ? _owed + spread(40) : random(_owed + 1);
            usdc.transfer(ops[i].sender, given);
        }
        ++counts[CALLS];
        if (_send(ops)) counts[DRAINED] += size;
        else ++counts[REFUSED];
        (uint256 changed, ) = paymaster.tokenPerNative();
        // Who stores a price in between is charged at the one or the other.
        if (changed < rate) rate = changed;
        uint256 present = usdc.balanceOf(address(paymaster));
        uint256 left = entryPoint.balanceOf(address(paymaster));
        require(present >= earned, "a stranger took USDC");
        gained = int256(((present - earned) * 1e18) / rate) + int256(left) - int256(deposit);
        // A gift to the deposit is part of the whole.
        if (!_gave) checkProfit(present - earned, deposit - left, rate, size == 1 ? _fee : 0, 3);
        for (uint256 i; i < DRAINERS; ++i) {
            if (chance(85)) usdc.transferFrom(_drainers[i], address(this), usdc.balanceOf(_drainers[i]));
        }
    }

    function _send(PackedUserOperation[] memory ops) private returns (bool ok) {
        if (!_isAggregated) {
            try entryPoint.handleOps{gas: 60e6}(ops, BENEFICIARY) {
                return true;
            } catch {
                return false;
            }
        }
        UserOpsPerAggregator[] memory groups = new UserOpsPerAggregator[](1);
        groups[0] = UserOpsPerAggregator(ops, address(_accomplice), "");
        try entryPoint.handleAggregatedOps{gas: 60e6}(groups, BENEFICIARY) {
            return true;
        } catch {}
    }

    function _operation(address account, uint256 later, uint256 rate) private returns (PackedUserOperation memory op) {
        op.sender = account;
        op.nonce = entryPoint.getNonce(account, uint192(uint160(address(_accomplice))) << 32) + later;
        if (chance(3)) (op.sender, op.nonce) = (address(_accomplice), 0);
        uint256 verification = chance(90) ? 100_000 + random(2e5) : spread(17);
        uint256 payment = chance(90) ? 100_000 + random(1e5) : spread(17);
        uint256 call = chance(20) ? 0 : 50_000 + random(2e5);
        uint256 postOp = chance(60) ? 33_000 + random(7_000) : chance(60) ? 33_000 + random(2e5) : spread(17);
        uint256 most = chance(50) ? 1e9 + spread(40) : spread(40);
        uint256 priority = chance(60) ? most : spread(40);
        _fee = most < priority + block.basefee ? most : priority + block.basefee;
        op.preVerificationGas = chance(60) ? 0 : spread(20);
        op.accountGasLimits = bytes32((verification << 128) | call);
        op.gasFees = bytes32((priority << 128) | most);
        Plan memory p;
        (p.op, p.postOpLimit) = (op, postOp);
        bool isOdd = chance(8) || _isAggregated;
        setPayment(p, payment, isOdd ? _oddGrant() : grant(address(usdc), type(uint96).max));
        p.maxGas = verification + payment + call + postOp + op.preVerificationGas;
        _owed = prefundOf(p, rate);
        op.callData = _callData(p.maxGas * most);
        if (chance(20) || isOdd) {
            op.signature = abi.encodePacked(_isAggregated, uint8(isOdd && chance(60) ? 7 : _deed()), _owed);
        }
        if (chance(20)) op.signature = bytes.concat(op.signature, new bytes(random(9_000)));
    }

    function _oddGrant() private returns (bytes memory) {
        address token = chance(70) ? address(usdc) : address(tokens[1]);
        return abi.encodePacked(chance(50) ? GRANT_MARK : bytes4(0), token, type(uint96).max);
    }

    function _deed() private returns (uint256 what) {
        what = random(9);
        if (what == 5) _gave = true;
    }

    /// @param debt What the entry point takes from the deposit until the operation ends.
    function _callData(uint256 debt) private returns (bytes memory data) {
        if (chance(25)) return "";
        uint256 what = _deed();
        bytes memory deed = abi.encodeCall(Accomplice.act, (what, what == 5 ? debt : _owed));
        data = chance(15)
            ? bytes.concat(EXECUTE_USER_OP, deed)
            : abi.encodeCall(
                IAccount.execute,
                (bytes32(uint256(0xff) << 248), abi.encodePacked(_accomplice, deed))
            );
        if (chance(30)) data = bytes.concat(data, new bytes(random(9_000)));
    }
}
