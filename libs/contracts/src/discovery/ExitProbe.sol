// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC4626} from "@openzeppelin/contracts/interfaces/IERC4626.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SimulatedHolder} from "./SimulatedHolder.sol";

/// @title Simulated exit
/// @notice Finds the largest redeem that a vault pays out, from shares that a state override gives to this account.
/// It also deposits and redeems in separate calls, for simulations over several blocks.
contract ExitProbe is SimulatedHolder {
    struct Redeem {
        uint256 shares;
        /// `convertToAssets` of the shares before the redeem; 0 when the vault does not tell.
        uint256 expected;
        /// 0 when the redeem reverts.
        uint256 received;
    }

    error DepositFailed();

    uint256 private constant MOST_BISECTIONS = 12;
    /// @dev Enough for what follows the last redeem.
    uint256 private constant GAS_TO_REPORT = 500_000;

    /// @notice Redeem each size, largest first, until one pays; then bisect to 0.5 % between it and the next larger one.
    /// A redeem pays when it gives at least 99 % of `convertToAssets`. The smallest size follows, and the other sizes
    /// where the smallest does not pay the same rate. Each redeem is undone before the next one.
    /// @param deposited Assets to deposit for another account first; 0 for none. Without them nothing is tried.
    /// It shows whether a redeem fails for want of assets, or because the shares come from an override.
    /// @param sizes Shares, largest first.
    /// @param redeemGas Gas of one redeem.
    /// @return redeems In the order in which they were tried.
    /// @return isWhole Whether the gas of this call was enough for all of them.
    function measure(
        address vault,
        address asset,
        uint256 deposited,
        uint256[] calldata sizes,
        uint256 redeemGas
    ) external returns (Redeem[] memory redeems, bool isWhole) {
        if (deposited != 0) {
            try this.depositFor(vault, asset, deposited, msg.sender) {} catch {
                return (redeems, true);
            }
        }
        redeems = new Redeem[](sizes.length + MOST_BISECTIONS);
        uint256 count;
        Redeem memory best;
        uint256 index;
        for (; index < sizes.length && best.received == 0; ++index) {
            if (!_hasGas(redeemGas)) return (_first(redeems, count), false);
            redeems[count] = _try(vault, asset, sizes[index], redeemGas);
            if (_pays(redeems[count])) best = redeems[count];
            ++count;
        }
        if (best.received == 0) return (_first(redeems, count), true);

        uint256 tooMany = index > 1 ? sizes[index - 2] : 0;
        for (uint256 step = 0; step < MOST_BISECTIONS && tooMany > best.shares + best.shares / 200; ++step) {
            if (!_hasGas(redeemGas)) return (_first(redeems, count), false);
            Redeem memory middle = _try(vault, asset, (best.shares + tooMany) / 2, redeemGas);
            redeems[count] = middle;
            ++count;
            if (_pays(middle)) best = middle;
            else tooMany = middle.shares;
        }

        for (uint256 smaller = sizes.length; smaller > index; --smaller) {
            if (!_hasGas(redeemGas)) return (_first(redeems, count), false);
            redeems[count] = _try(vault, asset, sizes[smaller - 1], redeemGas);
            if (smaller == sizes.length && _rate(redeems[count]) == _rate(best))
                return (_first(redeems, count + 1), true);
            ++count;
        }
        return (_first(redeems, count), true);
    }

    /// @notice Deposit assets that this account must hold.
    function depositFor(address vault, address asset, uint256 assets, address receiver) external {
        this.approve(asset, vault, assets);
        if (!_call(vault, abi.encodeCall(IERC4626.deposit, (assets, receiver))).success) revert DepositFailed();
    }

    /// @notice Redeem half of the shares of this account.
    function redeemHalf(address vault, address asset) external returns (Redeem memory) {
        return _redeem(vault, asset, _balance(vault) / 2);
    }

    /// @notice Redeem, and revert with the result: nothing of it stays.
    function attempt(address vault, address asset, uint256 shares) external {
        bytes memory result = abi.encode(_redeem(vault, asset, shares));
        assembly ("memory-safe") {
            revert(add(result, 32), mload(result))
        }
    }

    function _try(
        address vault,
        address asset,
        uint256 shares,
        uint256 redeemGas
    ) private returns (Redeem memory redeem) {
        redeem.shares = shares;
        try this.attempt{gas: redeemGas}(vault, asset, shares) {} catch (bytes memory result) {
            // Without gas it reverts with nothing.
            if (result.length == 96) redeem = abi.decode(result, (Redeem));
        }
    }

    function _redeem(address vault, address asset, uint256 shares) private returns (Redeem memory redeem) {
        redeem.shares = shares;
        redeem.expected = _read(vault, abi.encodeCall(IERC4626.convertToAssets, (shares)));
        uint256 before = _balance(asset);
        Answer memory answer = _call(
            vault,
            abi.encodeCall(IERC4626.redeem, (shares, address(this), address(this)))
        );
        if (answer.success) redeem.received = Math.saturatingSub(_balance(asset), before);
    }

    function _pays(Redeem memory redeem) private pure returns (bool) {
        if (redeem.expected == 0 || redeem.received == 0) return false;
        return redeem.received >= redeem.expected - redeem.expected / 100;
    }

    /// @dev Basis points of the share price, rounded to the nearest.
    function _rate(Redeem memory redeem) private pure returns (uint256) {
        if (redeem.expected == 0) return 0;
        return (Math.mulDiv(redeem.received, 20_000, redeem.expected) + 1) / 2;
    }

    /// @dev A call gets at most 63/64 of the gas.
    function _hasGas(uint256 redeemGas) private view returns (bool) {
        return gasleft() > redeemGas + redeemGas / 60 + GAS_TO_REPORT;
    }

    function _first(Redeem[] memory redeems, uint256 count) private pure returns (Redeem[] memory) {
        assembly ("memory-safe") {
            mstore(redeems, count)
        }
        return redeems;
    }
}
