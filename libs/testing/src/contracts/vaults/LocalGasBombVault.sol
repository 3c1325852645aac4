// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {LocalVault} from "./LocalVault.sol";

/// @title Local vault two of whose views come to cost 36 million gas
/// @notice As a vault of the field whose `maxDeposit` walks through everything it owns. Deposits and redeems stay cheap
/// and work; a reader of many vaults in one call must limit the gas of each.
contract LocalGasBombVault is LocalVault {
    uint256 private constant WASTED_GAS = 36_000_000;

    /// @notice First second at which these views are costly; 0 means never.
    uint256 public armedFrom;

    event Armed(uint256 from);

    constructor(
        IERC20 underlying,
        string memory name_,
        string memory symbol_,
        uint8 decimalsOffset
    ) LocalVault(underlying, name_, symbol_, decimalsOffset) {}

    /// @notice Set from when on its views are costly; open to anyone, local chains only.
    function arm(uint256 from) external {
        armedFrom = from;
        emit Armed(from);
    }

    /// @inheritdoc ERC4626
    function maxDeposit(address receiver) public view override returns (uint256) {
        _waste();
        return super.maxDeposit(receiver);
    }

    /// @inheritdoc ERC4626
    function convertToAssets(uint256 shares) public view override returns (uint256) {
        _waste();
        return super.convertToAssets(shares);
    }

    /// @inheritdoc ERC4626
    function deposit(uint256 assets, address receiver) public override returns (uint256 shares) {
        shares = previewDeposit(assets);
        _deposit(_msgSender(), receiver, assets, shares);
    }

    /// @dev With less gas than that it runs out of it.
    function _waste() private view {
        if (armedFrom == 0 || block.timestamp < armedFrom) return;
        uint256 start = gasleft();
        while (start - gasleft() < WASTED_GAS) {}
    }
}
