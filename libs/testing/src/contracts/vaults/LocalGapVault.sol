// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {LocalVault} from "./LocalVault.sol";

/// @title Local vault that does not answer for a while
/// @notice Between two times every view of assets or price reverts, as in a vault whose oracle is down. Samples then
/// have a gap. The vault keeps earning.
contract LocalGapVault is LocalVault {
    /// @notice First second without an answer.
    uint256 public silentFrom;
    /// @notice First second with an answer again.
    uint256 public silentUntil;

    event SilenceChanged(uint256 from, uint256 until);

    error Silent(uint256 until);

    constructor(
        IERC20 underlying,
        string memory name_,
        string memory symbol_,
        uint8 decimalsOffset
    ) LocalVault(underlying, name_, symbol_, decimalsOffset) {}

    /// @notice Set when it does not answer; open to anyone, local chains only.
    function setSilence(uint256 from, uint256 until) external {
        (silentFrom, silentUntil) = (from, until);
        emit SilenceChanged(from, until);
    }

    /// @inheritdoc LocalVault
    function totalAssets() public view override returns (uint256) {
        if (block.timestamp >= silentFrom && block.timestamp < silentUntil) revert Silent(silentUntil);
        return super.totalAssets();
    }
}
