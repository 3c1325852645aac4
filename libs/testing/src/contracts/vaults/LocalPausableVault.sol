// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {LocalVault} from "./LocalVault.sol";

/// @title Local vault that can be paused
/// @notice While paused every entry and exit reverts `EnforcedPause` and every max* is 0; the share price still reads.
contract LocalPausableVault is LocalVault, Pausable {
    constructor(
        IERC20 underlying,
        string memory name_,
        string memory symbol_,
        uint8 decimalsOffset
    ) LocalVault(underlying, name_, symbol_, decimalsOffset) {}

    /// @notice Stop all entries and exits; open to anyone, local chains only.
    function pause() external {
        _pause();
    }

    /// @notice Open it again; open to anyone, local chains only.
    function unpause() external {
        _unpause();
    }

    /// @inheritdoc ERC4626
    function maxDeposit(address receiver) public view override returns (uint256) {
        return paused() ? 0 : super.maxDeposit(receiver);
    }

    /// @inheritdoc ERC4626
    function maxMint(address receiver) public view override returns (uint256) {
        return paused() ? 0 : super.maxMint(receiver);
    }

    /// @inheritdoc ERC4626
    function maxRedeem(address owner) public view override returns (uint256) {
        return paused() ? 0 : super.maxRedeem(owner); // maxWithdraw follows from it
    }

    // The modifier stands on the entries rather than on _deposit and _withdraw: the limit check of ERC4626 comes
    // first there and would answer with another error.

    /// @inheritdoc ERC4626
    function deposit(uint256 assets, address receiver) public override whenNotPaused returns (uint256) {
        return super.deposit(assets, receiver);
    }

    /// @inheritdoc ERC4626
    function mint(uint256 shares, address receiver) public override whenNotPaused returns (uint256) {
        return super.mint(shares, receiver);
    }

    /// @inheritdoc ERC4626
    function withdraw(
        uint256 assets,
        address receiver,
        address owner
    ) public override whenNotPaused returns (uint256) {
        return super.withdraw(assets, receiver, owner);
    }

    /// @inheritdoc ERC4626
    function redeem(
        uint256 shares,
        address receiver,
        address owner
    ) public override whenNotPaused returns (uint256) {
        return super.redeem(shares, receiver, owner);
    }
}
