// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {LocalVault} from "./LocalVault.sol";

/// @title Local vault that cannot always pay
/// @notice Lent assets count in `totalAssets` and cannot be redeemed. Shares cannot be redeemed for a while after a
/// deposit to their owner. No view tells either: `maxRedeem` stays the balance, so only a redeem shows it.
contract LocalLendingVault is LocalVault {
    /// @notice Assets that can be redeemed: deposits add to them, yield does not. No limit at first.
    uint256 public idle = type(uint256).max;

    /// @notice Seconds between a deposit and the first redeem of its receiver; 0 at first.
    uint256 public lockSeconds;

    mapping(address owner => uint256 timestamp) public lockedUntil;

    event LentChanged(uint256 assets);
    event LockChanged(uint256 secondsLocked);

    /// @dev The error of a Morpho vault whose markets hold too little.
    error NotEnoughLiquidity();
    error SharesLocked(uint256 until);

    constructor(
        IERC20 underlying,
        string memory name_,
        string memory symbol_,
        uint8 decimalsOffset
    ) LocalVault(underlying, name_, symbol_, decimalsOffset) {}

    /// @notice Lend out `assets` of the depositors, at most all; open to anyone, local chains only.
    function setLent(uint256 assets) external {
        idle = Math.saturatingSub(totalAssets(), assets);
        emit LentChanged(assets);
    }

    /// @notice Set the lock of later deposits; open to anyone, local chains only.
    function setLock(uint256 secondsLocked) external {
        lockSeconds = secondsLocked;
        emit LockChanged(secondsLocked);
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        lockedUntil[receiver] = block.timestamp + lockSeconds;
        idle = Math.saturatingAdd(idle, assets);
        super._deposit(caller, receiver, assets, shares);
    }

    function _withdraw(
        address caller,
        address receiver,
        address owner,
        uint256 assets,
        uint256 shares
    ) internal override {
        if (block.timestamp < lockedUntil[owner]) revert SharesLocked(lockedUntil[owner]);
        if (assets > idle) revert NotEnoughLiquidity();
        if (idle != type(uint256).max) idle -= assets;
        super._withdraw(caller, receiver, owner, assets, shares);
    }
}
