// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// @title Vault of a local chain
/// @notice An ERC-4626 vault whose share price grows every second, paid out of a reserve of the asset that it holds:
/// whatever the price says can be redeemed. Without reserve the growth stops; it never promises what it lacks.
/// @dev `_booked` is what depositors own; the balance above it is the reserve, so a plain transfer to the vault feeds
/// the reserve and does not move the price. The controls (`setRate`, `harvest`, `realiseLoss`) are open to anyone,
/// which is right on a local chain and would be fatal anywhere else.
contract LocalVault is ERC4626 {
    using SafeERC20 for IERC20;

    uint256 internal constant WAD = 1e18;
    address private constant BURNED = 0x000000000000000000000000000000000000dEaD;

    uint8 private immutable OFFSET;

    // One slot: what depositors own, as of when, and the growth per second from then on.
    uint128 private _booked;
    uint64 private _bookedAt;
    uint64 private _ratePerSecond;

    event RateChanged(uint64 ratePerSecond);
    event Harvested(uint256 assets);
    event LossRealised(uint256 assets);

    /// @dev A harvest can only give what the reserve holds.
    error InsufficientReserve(uint256 available, uint256 requested);

    /// @param underlying The asset.
    /// @param name_ Name of the share token.
    /// @param symbol_ Symbol of the share token.
    /// @param decimalsOffset How many decimals a share has beyond those of the asset.
    constructor(
        IERC20 underlying,
        string memory name_,
        string memory symbol_,
        uint8 decimalsOffset
    ) ERC20(name_, symbol_) ERC4626(underlying) {
        OFFSET = decimalsOffset;
        _bookedAt = uint64(block.timestamp);
    }

    /// @notice Growth per second, continuously compounded, 1e18 = 100 %.
    function ratePerSecond() external view returns (uint64) {
        return _ratePerSecond;
    }

    /// @notice The part of the balance that belongs to nobody yet and pays future growth.
    function reserve() public view returns (uint256) {
        return _held() - totalAssets();
    }

    /// @inheritdoc ERC4626
    function totalAssets() public view virtual override returns (uint256) {
        return Math.min(_accrued(), _held());
    }

    /// @notice Change the growth per second from now on; it is 0 at first.
    /// @param rate Continuously compounded, 1e18 = 100 %.
    function setRate(uint64 rate) external {
        _book(totalAssets());
        _ratePerSecond = rate;
        emit RateChanged(rate);
    }

    /// @notice Hand `assets` of the reserve to the depositors at once, as a vault does that harvests rewards.
    function harvest(uint256 assets) external {
        uint256 available = reserve();
        if (assets > available) revert InsufficientReserve(available, assets);
        _book(totalAssets() + assets);
        emit Harvested(assets);
    }

    /// @notice Lose `assets` of the depositors, as a vault does whose borrower defaults.
    function realiseLoss(uint256 assets) external {
        _book(totalAssets() - assets);
        IERC20(asset()).safeTransfer(BURNED, assets);
        emit LossRealised(assets);
    }

    function _decimalsOffset() internal view override returns (uint8) {
        return OFFSET;
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal virtual override {
        _book(totalAssets() + assets);
        super._deposit(caller, receiver, assets, shares);
    }

    function _withdraw(
        address caller,
        address receiver,
        address owner,
        uint256 assets,
        uint256 shares
    ) internal virtual override {
        _book(totalAssets() - assets);
        super._withdraw(caller, receiver, owner, assets, shares);
    }

    /// @dev exp(x) - 1 by its first three terms: at 15 % a year the error after a year is 2e-5 of the growth.
    function _accrued() private view returns (uint256) {
        uint256 x = uint256(_ratePerSecond) * (block.timestamp - _bookedAt);
        uint256 square = (x * x) / WAD;
        uint256 growth = x + square / 2 + (square * x) / (6 * WAD);
        return _booked + Math.mulDiv(_booked, growth, WAD);
    }

    function _held() private view returns (uint256) {
        return IERC20(asset()).balanceOf(address(this));
    }

    function _book(uint256 assets) private {
        _booked = SafeCast.toUint128(assets);
        _bookedAt = uint64(block.timestamp);
    }
}
