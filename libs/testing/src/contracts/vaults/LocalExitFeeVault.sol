// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {LocalVault} from "./LocalVault.sol";

/// @title Local vault with a fee on withdrawal
/// @notice `previewRedeem` and `previewWithdraw` include the fee, `convertToAssets` does not, as ERC-4626 asks. The
/// fee stays in the vault and belongs to those who stay.
contract LocalExitFeeVault is LocalVault {
    uint256 private constant BASIS_POINTS = 10_000;

    /// @notice Fee on what is withdrawn, in basis points: 0.10 %.
    uint256 public constant EXIT_FEE_BPS = 10;

    constructor(
        IERC20 underlying,
        string memory name_,
        string memory symbol_,
        uint8 decimalsOffset
    ) LocalVault(underlying, name_, symbol_, decimalsOffset) {}

    /// @inheritdoc ERC4626
    function previewRedeem(uint256 shares) public view override returns (uint256) {
        uint256 gross = super.previewRedeem(shares);
        return gross - Math.mulDiv(gross, EXIT_FEE_BPS, BASIS_POINTS, Math.Rounding.Ceil);
    }

    /// @inheritdoc ERC4626
    function previewWithdraw(uint256 assets) public view override returns (uint256) {
        uint256 gross = Math.mulDiv(assets, BASIS_POINTS, BASIS_POINTS - EXIT_FEE_BPS, Math.Rounding.Ceil);
        return super.previewWithdraw(gross);
    }
}
