// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC4626} from "@openzeppelin/contracts/interfaces/IERC4626.sol";
import {IERC20, SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @title Deposit into and redeem from ERC-4626 vaults with an enforced minimum, for plain calls
/// @notice For wallets that cannot delegate: the caller approves what it spends, then calls. Only the caller's funds move,
/// and everything goes to the caller. The router keeps nothing of a call.
///
/// What it does not do: it does not judge vaults or quote prices. It has no owner and no storage.
///
/// Dangerous combinations: the minimum protects against a bad price, and nothing protects against a hostile vault. Approve
/// exactly what a call spends: a leftover allowance stays, though only the caller can use it.
contract YieldRouter {
    using SafeERC20 for IERC20;

    /// @notice A minimum of zero would switch the protection off.
    error MinimumIsZero();
    error MinSharesNotMet(uint256 minimum, uint256 actual);
    error MinAssetsNotMet(uint256 minimum, uint256 actual);
    /// @notice The token brought less than was pulled, or the vault took less than was deposited.
    error AmountNotMoved(uint256 expected, uint256 actual);

    /// @param token Asset of `vault`. The caller must first approve `assets` to this contract.
    /// @param minShares Least shares that the caller receives; more than zero.
    function deposit(IERC4626 vault, IERC20 token, uint256 assets, uint256 minShares) external {
        if (minShares == 0) revert MinimumIsZero();
        uint256 held = token.balanceOf(address(this));
        uint256 before = vault.balanceOf(msg.sender);

        token.safeTransferFrom(msg.sender, address(this), assets);
        uint256 pulled = _increase(token, address(this), held);
        if (pulled != assets) revert AmountNotMoved(assets, pulled);
        token.forceApprove(address(vault), assets);
        vault.deposit(assets, msg.sender);
        if (token.allowance(address(this), address(vault)) != 0) token.forceApprove(address(vault), 0);

        uint256 left = _increase(token, address(this), held);
        if (left != 0) revert AmountNotMoved(assets, assets - left);
        uint256 shares = _increase(vault, msg.sender, before);
        if (shares < minShares) revert MinSharesNotMet(minShares, shares);
    }

    /// @param token Asset of `vault`.
    /// @param shares Base units. The caller must first approve as many shares to this contract.
    /// @param minAssets Least assets that the caller receives; more than zero.
    function redeem(IERC4626 vault, IERC20 token, uint256 shares, uint256 minAssets) external {
        if (minAssets == 0) revert MinimumIsZero();
        uint256 before = token.balanceOf(msg.sender);
        vault.redeem(shares, msg.sender, msg.sender);
        uint256 assets = _increase(token, msg.sender, before);
        if (assets < minAssets) revert MinAssetsNotMet(minAssets, assets);
    }

    /// @dev A balance that fell counts as nothing brought.
    function _increase(IERC20 token, address owner, uint256 before) private view returns (uint256) {
        uint256 present = token.balanceOf(owner);
        return present > before ? present - before : 0;
    }
}
