// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Operations} from "./Operations.sol";
import {Vm} from "./Vm.sol";

/// @dev Reads what a bundle may change, and what became of its operations.
abstract contract Readings is Operations {
    bytes32 private constant ENDED =
        keccak256("UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)");
    bytes32 private constant SPONSORED = keccak256("UserOperationSponsored(bytes32,uint256,uint256)");
    bytes32 private constant POST_OP_REVERTED = keccak256("PostOpRevertReason(bytes32,address,uint256,bytes)");
    bytes32 private constant PREFUND_TOO_LOW = keccak256("UserOperationPrefundTooLow(bytes32,address,uint256)");

    address payable internal constant BENEFICIARY = payable(address(0xbeef));

    struct Balances {
        uint256[3][ACCOUNTS] tokens;
        uint256[VAULTS][ACCOUNTS] shares;
        uint256[ACCOUNTS] leftOver;
        uint256 earned;
        uint256 deposit;
        uint256 held;
        uint256 collected;
        uint256 rate;
        uint64 price;
        uint48 validUntil;
        uint48 refreshAt;
    }

    struct Outcome {
        bool ended;
        bool success;
        bool sponsored;
        bool kept;
        uint256 billed;
        uint256 fee;
        uint256 charge;
    }

    function outcomesOf(Plan[] memory plans, Vm.Log[] memory logs) internal view returns (Outcome[] memory found) {
        found = new Outcome[](plans.length);
        for (uint256 l; l < logs.length; ++l) {
            bytes32 topic = logs[l].topics[0];
            if (logs[l].emitter != address(entryPoint) && logs[l].emitter != address(paymaster)) continue;
            for (uint256 i; i < plans.length; ++i) {
                if (logs[l].topics.length < 2 || logs[l].topics[1] != plans[i].hash) continue;
                if (topic == ENDED) {
                    found[i].ended = true;
                    uint256 used;
                    (, found[i].success, found[i].billed, used) = abi.decode(
                        logs[l].data,
                        (uint256, bool, uint256, uint256)
                    );
                    found[i].fee = found[i].billed / used;
                } else if (topic == SPONSORED) {
                    found[i].sponsored = true;
                    (found[i].charge, ) = abi.decode(logs[l].data, (uint256, uint256));
                } else if (topic == POST_OP_REVERTED || topic == PREFUND_TOO_LOW) {
                    found[i].kept = true;
                }
            }
        }
    }

    function balances() internal view returns (Balances memory b) {
        for (uint256 a; a < ACCOUNTS; ++a) {
            for (uint256 t; t < 3; ++t) b.tokens[a][t] = tokens[t].balanceOf(accounts[a]);
            for (uint256 v; v < VAULTS; ++v) b.shares[a][v] = vaults[v].balanceOf(accounts[a]);
            b.leftOver[a] = usdc.allowance(accounts[a], address(vaults[1]));
        }
        b.earned = usdc.balanceOf(address(paymaster));
        b.deposit = entryPoint.balanceOf(address(paymaster));
        b.held = address(entryPoint).balance;
        b.collected = BENEFICIARY.balance;
        (b.rate, ) = paymaster.tokenPerNative();
        (b.price, b.validUntil, b.refreshAt, , ) = paymaster.terms();
    }
}
