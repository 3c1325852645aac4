// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";

/// @dev Runs the code of others as its own, for anyone who asks.
contract Delegator {
    function run(address code, bytes calldata data) external {
        if (!LowLevelCall.delegatecallNoReturn(code, data)) LowLevelCall.bubbleRevert();
    }
}
