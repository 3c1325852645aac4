// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @title Simulated holder of assets and shares
/// @notice What simulations share: calls whose results are bounded, and balances. What comes out of a vault is measured
/// by balances: nothing that the vault returns is believed.
/// @dev Never deployed. The state override of a simulation puts its runtime code and a balance at an account that
/// nobody owns, and both are gone with it. It has no constructor, no immutables and no storage, and no guard at all:
/// whatever a deployed copy held would belong to anyone.
abstract contract SimulatedHolder {
    using SafeERC20 for IERC20;

    struct Answer {
        bool success;
        bool isOutOfGas;
        uint256 gasUsed;
        bytes returned;
    }

    /// @dev Answers may be made long on purpose; memory for them would come out of the gas of this call.
    uint256 private constant MAX_RETURNED = 2048;

    /// @notice Approve as the executor does: tokens that return nothing, or that want zero first, are fine.
    function approve(address asset, address vault, uint256 assets) external {
        IERC20(asset).forceApprove(vault, assets);
    }

    function _balance(address token) internal view returns (uint256) {
        return _read(token, abi.encodeCall(IERC20.balanceOf, (address(this))));
    }

    /// @dev Half of the gas, so that a costly view leaves enough to go on.
    function _read(address target, bytes memory data) internal view returns (uint256) {
        return _word(target, data, gasleft() / 2);
    }

    /// @dev One word, or 0 for any other answer.
    function _word(address target, bytes memory data, uint256 gasLimit) internal view returns (uint256 word) {
        assembly ("memory-safe") {
            let success := staticcall(gasLimit, target, add(data, 32), mload(data), 0, 32)
            if and(success, eq(returndatasize(), 32)) {
                word := mload(0)
            }
        }
    }

    function _call(address target, bytes memory data) internal returns (Answer memory answer) {
        // A call gets 63/64 of what there is; the rest is enough to report.
        uint256 available = gasleft();
        bool success;
        bytes memory returned;
        assembly ("memory-safe") {
            success := call(gas(), target, 0, add(data, 32), mload(data), 0, 0)
            let size := returndatasize()
            if gt(size, MAX_RETURNED) {
                size := MAX_RETURNED
            }
            returned := mload(0x40)
            mstore(0x40, add(add(returned, 32), and(add(size, 31), not(31))))
            mstore(returned, size)
            returndatacopy(add(returned, 32), 0, size)
        }
        answer.success = success;
        answer.returned = returned;
        answer.gasUsed = available - gasleft();
        // The remaining gas of the call and the gas that it did not receive look the same.
        answer.isOutOfGas = !success && answer.gasUsed > available - available / 32;
    }
}
