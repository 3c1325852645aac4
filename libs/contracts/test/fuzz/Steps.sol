// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Checks} from "./Checks.sol";
import {VM} from "./Vm.sol";

/// @dev What several steps need.
abstract contract Steps is Checks {
    function sound(uint256 account) internal returns (Plan memory p) {
        do p = plan(account); while (!p.isSound);
        sign(p, keys[account]);
    }

    /// Mostly a price that is valid, and accounts that can pay.
    function prepare() internal {
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

    function isPayable(Plan[] memory plans) internal view returns (bool) {
        (uint256 rate, uint48 validUntil) = paymaster.tokenPerNative();
        (, , , , uint64 ceiling) = paymaster.terms();
        for (uint256 i; i < plans.length; ++i) {
            uint256 prefund = prefundOf(plans[i], rate);
            if (prefund > plans[i].maximum || prefund > ceiling || prefund > usdc.balanceOf(accounts[plans[i].account]) / 2) return false;
        }
        return validUntil >= block.timestamp;
    }

    function one(Plan memory p) internal pure returns (Plan[] memory plans) {
        plans = new Plan[](1);
        plans[0] = p;
    }

    function slice(bytes memory data, uint256 from, uint256 to) internal pure returns (bytes memory part) {
        part = new bytes(to - from);
        for (uint256 i; i < part.length; ++i) part[i] = data[from + i];
    }
}
