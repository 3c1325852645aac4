// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title The part of an account that pays the paymaster which its signed operation names
interface IGasPayer {
    /// @notice Send `amount` of the token that the operation grants to the caller.
    /// @param amount Base units of that token, at most the maximum that the operation grants.
    function payForGas(uint256 amount) external;
}
