// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {LocalVault} from "./LocalVault.sol";

/// @title Local vault that takes no small deposits
/// @notice ERC-4626 has no view for the smallest deposit: a smaller one reverts.
contract LocalMinimumVault is LocalVault {
    /// @notice Smallest deposit in base units of the asset; none at first.
    uint256 public minimum;

    event MinimumChanged(uint256 assets);

    constructor(
        IERC20 underlying,
        string memory name_,
        string memory symbol_,
        uint8 decimalsOffset
    ) LocalVault(underlying, name_, symbol_, decimalsOffset) {}

    /// @notice Set the smallest deposit; open to anyone, local chains only.
    function setMinimum(uint256 assets) external {
        minimum = assets;
        emit MinimumChanged(assets);
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        require(assets >= minimum, "deposit below minimum");
        super._deposit(caller, receiver, assets, shares);
    }
}
