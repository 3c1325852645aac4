// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ContractBundler, HostileToken} from "./hostile/Hostile.sol";
import {Readings} from "./Readings.sol";
import {IEntryPoint, PackedUserOperation, VM} from "./Vm.sol";

/// @dev Runs bundles and checks what must hold after each.
abstract contract Checks is Readings {
    uint256 internal constant STEPS = 0;
    uint256 internal constant RUN = 1;
    uint256 internal constant SUCCEEDED = 2;
    uint256 internal constant REVERTED = 3;
    uint256 internal constant POST_OP_FAILED = 4;
    uint256 internal constant REFUSED = 5;
    uint256 internal constant REFRESHED = 6;
    uint256 internal constant GREEDY = 7;
    uint256 internal constant TAMPERED = 8;
    uint256 internal constant REPLAYED = 9;
    uint256 internal constant INTRUDED = 10;
    uint256 internal constant PRICED = 11;
    uint256 internal constant FUNDED = 12;
    uint256 internal constant EXACT = 13;
    /// Made to the entry point and to our contracts.
    uint256 internal constant CALLS = 14;
    uint256 internal constant DRAINS = 15;
    uint256 internal constant DRAINED = 16;
    uint256 internal constant ROUTED = 17;
    uint256[18] public counts;
    /// What each account allows {SPENDER}.
    uint256[ACCOUNTS] internal approved;
    /// Least gas by which a charge exceeded the bill: ordinary, refunded to the balance it had, to an empty balance, of a
    /// stranger's bundle.
    int256[4] public slack = [type(int256).max, type(int256).max, type(int256).max, type(int256).max];
    /// Least wei that the paymaster gained by a bundle, without its markup.
    int256 public profit = type(int256).max;

    function encoded(Plan[] memory plans) internal pure returns (bytes memory) {
        PackedUserOperation[] memory ops = new PackedUserOperation[](plans.length);
        for (uint256 i; i < plans.length; ++i) ops[i] = plans[i].op;
        return abi.encodeCall(IEntryPoint.handleOps, (ops, BENEFICIARY));
    }

    /// Send `plans` in one bundle, as a contract that first gives `funding` to the first sender, and then calls `afterwards`.
    function bundle(Plan[] memory plans, uint256 funding, uint256 gas, uint256 kind) internal returns (bool ok) {
        return bundle(plans, funding, gas, kind, ContractBundler.Call(address(0), ""));
    }

    function bundle(
        Plan[] memory plans,
        uint256 funding,
        uint256 gas,
        uint256 kind,
        ContractBundler.Call memory afterwards
    ) internal returns (bool ok) {
        Balances memory before = balances();
        bytes memory data = encoded(plans);
        ++counts[CALLS];
        VM.recordLogs();
        if (funding != 0 || afterwards.target != address(0)) {
            address sender = plans[0].op.sender;
            try bundler.bundle{gas: gas}(usdc, sender, funding, address(entryPoint), data, afterwards) {
                ok = true;
            } catch {}
            if (ok) before.tokens[plans[0].account][0] += funding;
        } else {
            (ok, ) = address(entryPoint).call{gas: gas}(data);
        }
        Outcome[] memory outcomes = outcomesOf(plans, VM.getRecordedLogs());
        if (!ok) {
            ++counts[REFUSED];
            return false;
        }
        Balances memory present = balances();
        uint256 charged;
        uint256 billed;
        uint256 total;
        for (uint256 i; i < plans.length; ++i) {
            require(outcomes[i].ended, "no event of an accepted operation");
            total += outcomes[i].billed;
            if (!plans[i].isGreedy) {
                charged += _checkCharge(plans[i], outcomes[i], before, kind);
                billed += outcomes[i].billed;
            }
            _checkRun(plans[i], outcomes[i], before, present);
        }
        require(present.earned == before.earned + charged, "paymaster's earnings");
        require(before.deposit - present.deposit == billed, "paymaster's deposit");
        require(present.collected - before.collected == total, "beneficiary's share");
        require(before.held - present.held == total, "entry point's ether");
        _checkBalances(plans, outcomes, before, present);
        _checkPrice(plans, outcomes, before, present);
    }

    function _checkCharge(
        Plan memory p,
        Outcome memory outcome,
        Balances memory before,
        uint256 kind
    ) private returns (uint256 charge) {
        require(before.validUntil >= block.timestamp, "price out of its time");
        uint256 prefund = prefundOf(p, before.rate);
        (, , , , uint64 ceiling) = paymaster.terms();
        require(prefund <= ceiling, "above the ceiling");
        require(prefund <= p.maximum, "above the signed maximum");
        charge = outcome.sponsored && !outcome.kept ? outcome.charge : prefund;
        require(charge <= prefund, "charged more than the prefund");
        if (!outcome.sponsored || outcome.kept) ++counts[POST_OP_FAILED];
        checkProfit(charge, outcome.billed, before.rate, outcome.fee, kind);
    }

    /// What the paymaster got covers what its deposit spent, at its price with the markup: so the markup is all gain.
    function checkProfit(uint256 income, uint256 spent, uint256 rate, uint256 fee, uint256 kind) internal {
        require(income * 1e18 >= spent * rate, "charged less than billed");
        if (spent == 0) return;
        int256 gained = int256((income * 1e18) / rate) - int256(spent);
        if (gained < profit) profit = gained;
        // At fees of a gwei and more a base unit of USDC is less than one gas.
        if (fee >= 1e9 && gained / int256(fee) < slack[kind]) slack[kind] = gained / int256(fee);
    }

    function _checkRun(
        Plan memory p,
        Outcome memory outcome,
        Balances memory before,
        Balances memory present
    ) private {
        ++counts[RUN];
        ++counts[outcome.success ? SUCCEEDED : REVERTED];
        require(entryPoint.getNonce(p.op.sender, nonceKey(p.key)) == p.op.nonce + 1, "nonce not used");
        require(block.timestamp <= p.expiry && block.timestamp > p.validAfter, "outside the signed window");
        if (p.isSound) require(outcome.success, "a sound operation reverted");
        uint256 a = p.account;
        if (outcome.success && p.approved != type(uint256).max) approved[a] = p.approved;
        if (!outcome.success || p.vault == 99) return;
        if (p.isDeposit) {
            require(present.shares[a][p.vault] >= before.shares[a][p.vault] + p.minimum, "fewer shares than signed");
        } else if (tokenOf(p.vault) != 0 && tokenOf(p.vault) != p.payToken) {
            uint256 t = tokenOf(p.vault);
            require(present.tokens[a][t] >= before.tokens[a][t] + p.minimum, "fewer assets than signed");
        }
    }

    function _checkBalances(
        Plan[] memory plans,
        Outcome[] memory outcomes,
        Balances memory before,
        Balances memory present
    ) private view {
        for (uint256 a; a < ACCOUNTS; ++a) {
            // Who did not sign, or whose call reverted, loses at most the unit that stayed allowed to a vault.
            uint256[3] memory allowed = [before.leftOver[a], 0, 0];
            uint256[VAULTS] memory shares;
            for (uint256 i; i < plans.length; ++i) {
                if (plans[i].account != a) continue;
                if (outcomes[i].success) {
                    for (uint256 t; t < 3; ++t) allowed[t] += plans[i].tokens[t];
                    for (uint256 v; v < VAULTS; ++v) shares[v] += plans[i].shares[v];
                }
                if (plans[i].isGreedy) allowed[plans[i].payToken] += plans[i].maximum;
                else if (outcomes[i].sponsored && !outcomes[i].kept) allowed[0] += outcomes[i].charge;
                else allowed[0] += prefundOf(plans[i], before.rate);
            }
            for (uint256 t; t < 3; ++t) {
                // A token that does not count lets a vault take what it is allowed twice.
                if (t == 1 && !HostileToken(address(tokens[1])).countsSpent()) continue;
                require(present.tokens[a][t] + allowed[t] >= before.tokens[a][t], "tokens left without a signature");
            }
            for (uint256 v; v < VAULTS; ++v) {
                // A hostile vault's shares are its own affair.
                if (isHostile(v)) continue;
                require(present.shares[a][v] + shares[v] >= before.shares[a][v], "shares left without a signature");
            }
            checkAllowances(a);
        }
    }

    function checkAllowances(uint256 a) internal view {
        for (uint256 v; v < VAULTS; ++v) {
            uint256 allowance = tokens[tokenOf(v)].allowance(accounts[a], address(vaults[v]));
            require(allowance <= (tokenOf(v) == 0 ? 1 : 0), "allowance left to a vault");
        }
        require(usdc.allowance(accounts[a], SPENDER) == approved[a], "another allowance than signed");
    }

    function _checkPrice(
        Plan[] memory plans,
        Outcome[] memory outcomes,
        Balances memory before,
        Balances memory present
    ) private {
        (bool usable, uint64 price, uint48 validUntil) = modelPrice();
        bool changed = present.validUntil != before.validUntil || present.refreshAt != before.refreshAt;
        bool wanted;
        for (uint256 i; i < plans.length; ++i) {
            if (outcomes[i].sponsored && !outcomes[i].kept && plans[i].postOpLimit >= 110_000) wanted = true;
        }
        bool due = block.timestamp >= before.refreshAt;
        require(!changed || (due && usable), "refreshed before it was due");
        if (due && usable && wanted) require(present.validUntil == validUntil, "not refreshed");
        if (!changed) return;
        ++counts[REFRESHED];
        require(present.price == price && present.validUntil == validUntil, "refreshed to another price");
    }
}
