// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {LocalVault} from "./LocalVault.sol";

/// @title Local vault with limited room
/// @notice `maxDeposit` is the room that is left; a deposit above it reverts `ERC4626ExceededMaxDeposit`. Deposits
/// use room up, withdrawals give it back.
/// @dev The room counts deposits rather than total assets, so that accrual does not fill the vault by itself.
contract LocalCappedVault is LocalVault {
    /// @notice Assets that may still be deposited; the maximum of the type means no limit.
    uint256 public room = type(uint256).max;

    event RoomChanged(uint256 room);

    constructor(
        IERC20 underlying,
        string memory name_,
        string memory symbol_,
        uint8 decimalsOffset
    ) LocalVault(underlying, name_, symbol_, decimalsOffset) {}

    /// @notice Set the room; open to anyone, local chains only.
    function setRoom(uint256 assets) external {
        room = assets;
        emit RoomChanged(assets);
    }

    /// @inheritdoc ERC4626
    function maxDeposit(address) public view override returns (uint256) {
        return room;
    }

    /// @inheritdoc ERC4626
    function maxMint(address) public view override returns (uint256) {
        return room == type(uint256).max ? room : convertToShares(room);
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        if (room != type(uint256).max) room -= assets;
        super._deposit(caller, receiver, assets, shares);
    }

    function _withdraw(
        address caller,
        address receiver,
        address owner,
        uint256 assets,
        uint256 shares
    ) internal override {
        room = Math.saturatingAdd(room, assets);
        super._withdraw(caller, receiver, owner, assets, shares);
    }
}
