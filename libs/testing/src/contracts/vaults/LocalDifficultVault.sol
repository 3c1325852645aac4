// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {LocalVault} from "./LocalVault.sol";

/// @title Local vault with switches for bad behaviour
/// @notice Fees, wrong previews, previews that burn gas, a price that donations move, wrong decimals, and calls to
/// other contracts during a deposit or redeem. With all switches off it is the plain local vault. Anyone may set a
/// switch: for local chains only.
contract LocalDifficultVault is LocalVault {
    uint256 private constant BASIS_POINTS = 10_000;

    /// @notice Fees of a deposit and a redeem, in basis points. The previews include them.
    uint256 public entryFeeBps;
    uint256 public exitFeeBps;
    /// @notice Result of the previews in basis points of the true amount: 10 100 is 1 % too much.
    uint256 public depositPreviewBps = BASIS_POINTS;
    uint256 public redeemPreviewBps = BASIS_POINTS;
    /// @notice Gas that each preview burns; deposits and redeems do not.
    uint256 public wastedGas;
    /// @notice Whether plain transfers to the vault move its price.
    bool public isDonatable;
    /// @notice Whether callers without shares see a price that grows.
    bool public isLying;

    bool private _isDecimalsClaimed;
    uint8 private _claimedDecimals;
    bool private _isAttackForced;
    address private _attacked;
    bytes private _attack;

    event HazardsChanged();

    constructor(
        IERC20 underlying,
        string memory name_,
        string memory symbol_,
        uint8 decimalsOffset
    ) LocalVault(underlying, name_, symbol_, decimalsOffset) {}

    function setFees(uint256 entryBps, uint256 exitBps) external {
        (entryFeeBps, exitFeeBps) = (entryBps, exitBps);
        emit HazardsChanged();
    }

    function setPreviews(uint256 depositBps, uint256 redeemBps) external {
        (depositPreviewBps, redeemPreviewBps) = (depositBps, redeemBps);
        emit HazardsChanged();
    }

    function setWastedGas(uint256 gas_) external {
        wastedGas = gas_;
        emit HazardsChanged();
    }

    function setDonatable() external {
        isDonatable = true;
        emit HazardsChanged();
    }

    function setLying() external {
        isLying = true;
        emit HazardsChanged();
    }

    /// @notice Claim other decimals than the shares have.
    function setDecimals(uint8 decimals_) external {
        (_isDecimalsClaimed, _claimedDecimals) = (true, decimals_);
        emit HazardsChanged();
    }

    /// @notice Call `target` with `data` in the middle of every entry and exit.
    /// @param isForced Whether an entry or exit fails when that call fails.
    function setAttack(address target, bytes calldata data, bool isForced) external {
        (_attacked, _attack, _isAttackForced) = (target, data, isForced);
        emit HazardsChanged();
    }

    /// @inheritdoc ERC4626
    function decimals() public view override returns (uint8) {
        return _isDecimalsClaimed ? _claimedDecimals : super.decimals();
    }

    /// @inheritdoc LocalVault
    function totalAssets() public view override returns (uint256) {
        return isDonatable ? IERC20(asset()).balanceOf(address(this)) : super.totalAssets();
    }

    /// @inheritdoc ERC4626
    function convertToAssets(uint256 shares) public view override returns (uint256) {
        uint256 assets = super.convertToAssets(shares);
        return isLying && balanceOf(msg.sender) == 0 ? assets + (assets * block.timestamp) / 1e9 : assets;
    }

    /// @inheritdoc ERC4626
    function previewDeposit(uint256 assets) public view override returns (uint256) {
        _waste();
        return (_sharesFor(assets) * depositPreviewBps) / BASIS_POINTS;
    }

    /// @inheritdoc ERC4626
    function previewRedeem(uint256 shares) public view override returns (uint256) {
        _waste();
        return (_assetsFor(shares) * redeemPreviewBps) / BASIS_POINTS;
    }

    /// @inheritdoc ERC4626
    function deposit(uint256 assets, address receiver) public override returns (uint256 shares) {
        shares = _sharesFor(assets);
        _callOthers();
        _deposit(_msgSender(), receiver, assets, shares);
    }

    /// @inheritdoc ERC4626
    function redeem(uint256 shares, address receiver, address owner) public override returns (uint256 assets) {
        assets = _assetsFor(shares);
        _callOthers();
        _withdraw(_msgSender(), receiver, owner, assets, shares);
    }

    function _sharesFor(uint256 assets) private view returns (uint256) {
        return _less(super.previewDeposit(assets), entryFeeBps);
    }

    function _assetsFor(uint256 shares) private view returns (uint256) {
        return _less(super.previewRedeem(shares), exitFeeBps);
    }

    function _less(uint256 amount, uint256 feeBps) private pure returns (uint256) {
        return amount - Math.mulDiv(amount, feeBps, BASIS_POINTS, Math.Rounding.Ceil);
    }

    function _callOthers() private {
        if (_attacked == address(0)) return;
        (bool success, bytes memory result) = _attacked.call(_attack);
        if (_isAttackForced) Address.verifyCallResult(success, result);
    }

    /// @dev With less gas than that it runs out of it.
    function _waste() private view {
        uint256 wasted = wastedGas;
        uint256 start = gasleft();
        while (start - gasleft() < wasted) {}
    }
}
