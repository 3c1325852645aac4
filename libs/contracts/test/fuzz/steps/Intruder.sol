// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Checks} from "../Checks.sol";
import {HostileToken} from "../hostile/Hostile.sol";
import {IAccount, IPaymaster, VM} from "../Vm.sol";

/// @dev Calls that nobody may make, and changes of the world around the contracts.
abstract contract Intruder is Checks {
    address private constant STRANGER = address(0xbad);

    /// Every guarded function of the account, called by a stranger, a vault, another account or the validator.
    function intrude() internal {
        ++counts[INTRUDED];
        uint256 account = random(ACCOUNTS);
        address[4] memory callers = [STRANGER, address(vaults[1]), accounts[(account + 1) % ACCOUNTS], validator];
        address caller = callers[random(4)];
        Plan memory p = plan(account);
        sign(p, keys[account]);
        for (uint256 i; i < 9; ++i) _refused(caller, accounts[account], _accountCall(i, p));
        _refused(caller, executor, p.op.callData);
        _refused(address(entryPoint), implementation, p.op.callData);
    }

    function _refused(address caller, address target, bytes memory data) private {
        ++counts[CALLS];
        VM.prank(caller);
        (bool ok, ) = target.call(data);
        require(!ok, "a guarded function let a stranger in");
    }

    function _accountCall(uint256 which, Plan memory p) private view returns (bytes memory) {
        bytes memory call = abi.encodePacked(usdc, uint256(0), abi.encodeCall(usdc.transfer, (STRANGER, 1)));
        if (which == 0) return p.op.callData;
        if (which == 1) return abi.encodeCall(IAccount.initializeAccount, ());
        if (which == 2) return abi.encodeCall(IAccount.execute, (bytes32(0), call));
        if (which == 3) return abi.encodeCall(IAccount.executeFromExecutor, (bytes32(0), call));
        if (which == 4) return abi.encodeCall(IAccount.installModule, (2, STRANGER, ""));
        if (which == 5) return abi.encodeCall(IAccount.validateUserOp, (p.op, p.hash, 0));
        if (which == 6) return abi.encodeCall(IAccount.payForGas, (p.op.nonce & 1));
        if (which == 7) return abi.encodeCall(IAccount.uninstallModule, (1, validator, ""));
        return abi.encodeCall(IAccount.uninstallModule, (2, executor, ""));
    }

    /// Without its module an operation is refused, or its call reverts; afterwards both are back.
    function removeModules(Plan memory p) internal {
        uint256 kind = 1 + random(2);
        address account = accounts[p.account];
        VM.prank(account);
        IAccount(account).uninstallModule(kind, kind == 1 ? validator : executor, "");
        require(IAccount(account).isModuleInstalled(1, validator, "") == (kind == 2), "validator");
        require(IAccount(account).isModuleInstalled(2, executor, "") == (kind == 1), "executor");
        p.isSound = false;
        p.vault = 99;
        Plan[] memory plans = new Plan[](1);
        plans[0] = p;
        uint256 succeeded = counts[SUCCEEDED];
        bool ok = bundle(plans, 0, 30e6, 0);
        require(kind == 2 || !ok, "validated without a validator");
        require(counts[SUCCEEDED] == succeeded, "ran without an executor");
        VM.prank(account);
        IAccount(account).initializeAccount();
        require(IAccount(account).isModuleInstalled(1, validator, ""), "validator not restored");
        require(IAccount(account).isModuleInstalled(2, executor, ""), "executor not restored");
    }

    function changeWorld() internal {
        uint256 what = random(12);
        if (what > 8) paymaster.withdrawTokens(address(usdc), STRANGER, random(usdc.balanceOf(address(paymaster)) + 1));
        if (what == 0) VM.warp(block.timestamp + random(40 minutes));
        if (what == 1) _changeFeeds();
        if (what == 2) _updatePrice();
        if (what == 3) _changeMarkup();
        if (what == 4) paymaster.setOperationCeiling(chance(80) ? type(uint64).max : uint64(spread(40)));
        if (what == 5) VM.fee(spread(36));
        if (what >= 9 || what == 6) vaults[1 + 2 * random(3)].setMode(random(type(uint256).max));
        if (what == 7) _setAttack();
        if (what == 8 || what == 10) {
            HostileToken(address(tokens[1])).setTemper(chance(50) ? 0 : random(500), chance(50));
            // A donation moves the share price.
            usdc.transferFrom(address(this), address(vaults[0]), 0);
            for (uint256 i; i < VAULTS; ++i) vaults[i].pull();
        }
    }

    /// A higher markup waits a day.
    function _changeMarkup() private {
        (, , , uint16 present, ) = paymaster.terms();
        uint16 wanted = uint16(random(2_001));
        paymaster.setMarkup(wanted);
        (, , , uint16 changed, ) = paymaster.terms();
        require(changed == (wanted < present ? wanted : present), "markup raised at once");
        if (chance(50)) VM.warp(block.timestamp + random(2 days));
        bool isReady = wanted > present && block.timestamp >= paymaster.announcedMarkupReadyAt();
        (bool ok, ) = address(paymaster).call(abi.encodeCall(IPaymaster.applyMarkup, ()));
        require(ok == isReady, "markup applied too early, or not at all");
        require(!ok || paymaster.announcedMarkupBps() == 0, "an applied markup is announced");
    }

    /// In and around the bounds of price, age and sequencer.
    function _changeFeeds() private {
        uint256 present = block.timestamp;
        int192[6] memory eth = [int192(2_500e8), 100e8, 100_000e8, 100e8 - 1, 100_000e8 + 1, int192(int256(spread(44)))];
        int192[6] memory usd = [int192(1e8), 0.5e8, 1.1e8, 0.5e8 - 1, 1.1e8 + 1, int192(int256(0.5e8 + random(0.6e8)))];
        ethUsd.setRound(eth[random(6)], uint64(present - random(chance(50) ? 30 minutes : 3 hours)));
        usdcUsd.setRound(usd[random(6)], uint64(present - random(chance(50) ? 20 hours : 26 hours)));
        if (chance(50)) return;
        uint256 since = present - (chance(50) ? 1 hours - 1 + random(3) : random(3 hours));
        sequencer.setRound(chance(80) ? int192(0) : int192(1), uint64(since));
        if (chance(30)) _updatePrice();
    }

    function _updatePrice() private {
        ++counts[PRICED];
        ++counts[CALLS];
        (bool usable, uint64 price, uint48 validUntil) = modelPrice();
        (uint64 oldPrice, uint48 oldUntil, , , ) = paymaster.terms();
        VM.prank(STRANGER);
        (bool ok, ) = address(paymaster).call(abi.encodeCall(IPaymaster.updatePrice, ()));
        require(ok == usable, "price taken against the rules, or refused");
        (uint64 newPrice, uint48 newUntil, uint48 refreshAt, uint16 markup, ) = paymaster.terms();
        if (!ok) {
            require(newPrice == oldPrice && newUntil == oldUntil, "changed by a refused update");
            return;
        }
        require(newPrice == price && newUntil == validUntil, "another price or time");
        require(refreshAt == validUntil - (validUntil - block.timestamp) / 10, "another time of refresh");
        (uint256 rate, uint48 until) = paymaster.tokenPerNative();
        require(rate == (uint256(price) * (10_000 + markup) + 9_999) / 10_000 && until == validUntil, "rate");
    }

    /// What a hostile vault and a hostile token try in the middle of a call; none of it may ever succeed.
    function _setAttack() private {
        uint256 account = random(3);
        Plan memory p = plan(account);
        sign(p, keys[(account + 1) % ACCOUNTS]);
        uint256 way = random(4);
        address target = way == 0 ? executor : way == 1 ? address(entryPoint) : accounts[account];
        Plan[] memory plans = new Plan[](1);
        plans[0] = p;
        bytes memory data = way == 1 ? encoded(plans) : _accountCall(way == 0 ? 0 : random(9), p);
        vaults[1].setAttack(target, data);
        vaults[5].setAttack(target, data);
        HostileToken(address(tokens[1])).setAttack(target, data);
    }

    function checkAttacks() internal view {
        require(!vaults[1].breached() && !vaults[5].breached(), "a vault's attack succeeded");
        require(!HostileToken(address(tokens[1])).breached(), "a token's attack succeeded");
    }
}
