// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IAccount, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";

/// @dev Another implementation to delegate to: it accepts every operation, and anyone may write its storage.
contract CarelessAccount is IAccount {
    function validateUserOp(PackedUserOperation calldata, bytes32, uint256) external pure returns (uint256) {
        return 0;
    }

    function store(uint256 slot, uint256 value) external {
        assembly ("memory-safe") {
            sstore(slot, value)
        }
    }

    receive() external payable {}
}
