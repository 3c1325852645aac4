// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title The part of USDC (FiatToken v2.2) that takes a permit
interface IUsdcPermit {
    /// @param signature Of the owner over the EIP-2612 permit: 65 bytes, or what the owner's ERC-1271 takes.
    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        bytes calldata signature
    ) external;
}
