// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @dev Marks `paymasterData` as a grant, so that other paymasters' data is never read as one.
bytes4 constant GRANT_MARK = bytes4(keccak256("GasGrant(address token,uint96 maximum)"));

/// @title The part of an account that pays the paymaster which its signed operation names
interface IGasPayer {
    /// @notice Send `amount` of the token that the operation grants to the caller.
    /// @param amount Base units of that token, at most the maximum that the operation grants.
    function payForGas(uint256 amount) external;
}
