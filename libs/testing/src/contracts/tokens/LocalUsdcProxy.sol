// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Proxy in front of the USDC of a local chain
/// @notice Has the call structure of the proxy of USDC on Ethereum and Base: it reads its admin and its implementation,
/// then hands the call over. What a call costs is close to what it costs there.
/// @dev Placed with `anvil_setCode`, so it has no constructor; both slots are written too. It cannot be upgraded.
contract LocalUsdcProxy {
    // The slots of the original, which predates ERC-1967.
    bytes32 private constant ADMIN_SLOT = keccak256("org.zeppelinos.proxy.admin");
    bytes32 private constant IMPLEMENTATION_SLOT = keccak256("org.zeppelinos.proxy.implementation");

    fallback() external payable {
        bytes32 adminSlot = ADMIN_SLOT;
        bytes32 implementationSlot = IMPLEMENTATION_SLOT;
        assembly ("memory-safe") {
            if eq(caller(), sload(adminSlot)) { revert(0, 0) }
            calldatacopy(0, 0, calldatasize())
            let success := delegatecall(gas(), sload(implementationSlot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(success) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}
