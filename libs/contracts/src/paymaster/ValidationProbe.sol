// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @title Tries the validation of a paymaster without an entry point
/// @notice Stands at the address of the entry point for one `eth_call` with a state override, so that the paymaster
/// takes it for its entry point, and says what the paymaster answers and takes.
/// @dev Never deployed: on a chain it would do nothing that anyone could not do.
contract ValidationProbe {
    /// @param validation Call data of `validatePaymasterUserOp`.
    /// @param gasLimit What the entry point grants it.
    /// @return success Whether the paymaster returned.
    /// @return answer What it returned, or reverted with.
    /// @return taken Base units of `token` that `payer` has fewer afterwards.
    function probe(
        address paymaster,
        bytes calldata validation,
        uint256 gasLimit,
        IERC20 token,
        address payer
    ) external returns (bool success, bytes memory answer, uint256 taken) {
        // What a call that reverts has touched is cold again: the paymaster needs the gas that it needs on chain.
        (, bytes memory reverted) = address(this).call(abi.encodeCall(this.revertWithBalance, (token, payer)));
        uint256 balance = abi.decode(reverted, (uint256));
        (success, answer) = paymaster.call{gas: gasLimit}(validation);
        uint256 left = token.balanceOf(payer);
        taken = balance > left ? balance - left : 0;
    }

    /// @dev Answers by reverting with 32 bytes.
    function revertWithBalance(IERC20 token, address owner) external view {
        uint256 value = token.balanceOf(owner);
        assembly ("memory-safe") {
            mstore(0, value)
            revert(0, 0x20)
        }
    }
}
