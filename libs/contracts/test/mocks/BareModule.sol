// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC7579Module} from "@openzeppelin/contracts/interfaces/draft-IERC7579.sol";
import {PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";

/// @dev A module of every type whose answers are set from outside.
contract BareModule is IERC7579Module {
    error InstallRefused();
    error ValidationRefused(uint256 code);

    bool public refusesInstall;
    bool public refusesValidation;
    bool public answersShort;

    function setRefusesInstall(bool value) external {
        refusesInstall = value;
    }

    function setRefusesValidation() external {
        refusesValidation = true;
    }

    function setAnswersShort() external {
        answersShort = true;
    }

    function onInstall(bytes calldata) external view {
        if (refusesInstall) revert InstallRefused();
    }

    function onUninstall(bytes calldata) external {}

    function isModuleType(uint256 moduleTypeId) external pure returns (bool) {
        return moduleTypeId == 1 || moduleTypeId == 2;
    }

    /// Answers success only when the arguments arrived whole.
    function validateUserOp(PackedUserOperation calldata userOp, bytes32 userOpHash) external view returns (uint256) {
        if (refusesValidation) revert ValidationRefused(42);
        if (answersShort) {
            assembly ("memory-safe") {
                return(0, 0)
            }
        }
        return keccak256(userOp.signature) == keccak256(abi.encode(userOpHash, userOp.callData)) ? 0 : 1;
    }
}
