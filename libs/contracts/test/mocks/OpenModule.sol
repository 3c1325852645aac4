// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC7579Module} from "@openzeppelin/contracts/interfaces/draft-IERC7579.sol";
import {PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";

/// @dev A validator module that returns what the signature says, success where it is empty, and an aggregator that accepts
/// everything.
contract OpenModule is IERC7579Module {
    function onInstall(bytes calldata) external {}

    function onUninstall(bytes calldata) external {}

    function isModuleType(uint256 moduleTypeId) external pure returns (bool) {
        return moduleTypeId == 1;
    }

    function validateUserOp(PackedUserOperation calldata userOp, bytes32) external pure returns (uint256) {
        return uint256(bytes32(userOp.signature));
    }

    function validateSignatures(PackedUserOperation[] calldata, bytes calldata) external pure {}
}
