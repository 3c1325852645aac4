// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC4626} from "@openzeppelin/contracts/interfaces/IERC4626.sol";
import {
    IERC7579Module,
    IERC7579ModuleConfig,
    MODULE_TYPE_EXECUTOR
} from "@openzeppelin/contracts/interfaces/draft-IERC7579.sol";
import {IERC20, SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {TransientSlot} from "@openzeppelin/contracts/utils/TransientSlot.sol";

/// @title Executor module that moves an account's assets into and out of ERC-4626 vaults
/// @notice The account that has this module runs {runHooks} as its own code, by delegate call, with one to eight packed
/// records, each a hook id and that hook's data. The hooks are fixed: there is none that transfers, and none that names
/// a receiver. Shares and assets always go to the account.
///
/// | hook | record after the id byte |
/// |---|---|
/// | 0x01 approve and deposit | `address vault ‖ address token ‖ uint256 amount ‖ uint256 minShares` |
/// | 0x02 redeem | `address vault ‖ address token ‖ uint256 shares ‖ uint256 minAssets` |
/// | 0x03 approve | `address spender ‖ address token ‖ uint256 amount`, for a paymaster that is paid from an allowance |
/// | 0x81 approve and deposit, keep one | as 0x01 |
///
/// Each vault hook measures what it brought as a difference of balances, never by what the vault says it returned, and
/// reverts below the signed minimum.
///
/// Hook 0x81 leaves one base unit allowed to the vault: a slot that never empties is cheaper to write. Hook 0x01 approves
/// exactly, and zero stays allowed.
///
/// What it does not do: it does not judge vaults, quote prices, or keep funds or state; it writes no storage of the
/// account. Nothing is caught: the first failure reverts all of {runHooks} with the original reason.
///
/// Dangerous combinations:
/// - The minimum protects against a bad price, e.g. a share price moved before inclusion. Nothing protects against a hostile
///   vault: it can keep the deposit.
/// - Hook 0x03 lets the spender take up to the amount at any later time, whatever the account delegates to then.
/// - A token with transfer hooks may call back into third parties, though not into {runHooks}.
/// - Another account that runs this code by delegate call must decide by itself who may call it.
contract YieldExecutor is IERC7579Module {
    using SafeERC20 for IERC20;
    using TransientSlot for *;

    /// @notice This code was called instead of run by an account's delegate call.
    error ExecutorNotDelegated();
    error ExecutorReentered();
    error MalformedEntries();
    error TooManyHooks();
    error UnknownHook(uint8 hookId);
    /// @notice A minimum of zero would switch the protection off.
    error MinimumIsZero();
    error MinSharesNotMet(uint256 minimum, uint256 actual);
    error MinAssetsNotMet(uint256 minimum, uint256 actual);
    /// @notice "What the previous hook brought" was asked for, and it brought nothing.
    error NothingToChain();
    error ChainedTokenMismatch(address brought, address wanted);

    uint256 private constant HOOK_DEPOSIT = 0x01;
    uint256 private constant HOOK_REDEEM = 0x02;
    uint256 private constant HOOK_APPROVE = 0x03;
    uint256 private constant HOOK_DEPOSIT_KEEP_ONE = 0x81;
    uint256 private constant MAX_HOOKS = 8;
    uint256 private constant VAULT_RECORD = 105;
    uint256 private constant APPROVE_RECORD = 73;
    // Transient storage is the account's, so each account has a lock of its own.
    bytes32 private constant LOCK = keccak256("yieldvault.executor.lock");

    address private immutable _SELF = address(this);

    /// @notice Run the hooks in `entries` as the account.
    /// @param entries One to eight records, packed back to back; see the table above. In a deposit, an amount of
    /// 2^256-1 means what the previous hook brought; in a redeem, shares of 2^256-1 mean the account's whole balance.
    function runHooks(bytes calldata entries) external {
        if (address(this) == _SELF) revert ExecutorNotDelegated();
        if (LOCK.asBoolean().tload()) revert ExecutorReentered();
        LOCK.asBoolean().tstore(true);

        address brought;
        uint256 broughtAmount;
        uint256 count;
        uint256 cursor;
        uint256 end;
        assembly ("memory-safe") {
            cursor := entries.offset
            end := add(cursor, entries.length)
        }
        if (cursor == end) revert MalformedEntries();
        while (cursor != end) {
            if (++count > MAX_HOOKS) revert TooManyHooks();
            uint256 hookId = _word(cursor) >> 248;
            uint256 size = hookId == HOOK_APPROVE ? APPROVE_RECORD : VAULT_RECORD;
            // Both are places inside calldata, and the cursor is before the end.
            unchecked {
                if (end - cursor < size) revert MalformedEntries();
            }
            if (hookId == HOOK_DEPOSIT || hookId == HOOK_DEPOSIT_KEEP_ONE) {
                uint256 kept = hookId == HOOK_DEPOSIT ? 0 : 1;
                (brought, broughtAmount) = _deposit(cursor, kept, brought, broughtAmount);
            } else if (hookId == HOOK_REDEEM) {
                (brought, broughtAmount) = _redeem(cursor);
            } else if (hookId == HOOK_APPROVE) {
                _approve(cursor);
                (brought, broughtAmount) = (address(0), 0);
            } else {
                revert UnknownHook(uint8(hookId));
            }
            cursor += size;
        }

        LOCK.asBoolean().tstore(false);
    }

    /// @notice Nothing to set up: the module keeps no state.
    function onInstall(bytes calldata) external {}

    function onUninstall(bytes calldata) external {}

    function isModuleType(uint256 moduleTypeId) external pure returns (bool) {
        return moduleTypeId == MODULE_TYPE_EXECUTOR;
    }

    /// @return Whether `account` has this module installed.
    function isInitialized(address account) external view returns (bool) {
        return
            account.code.length != 0 &&
            IERC7579ModuleConfig(account).isModuleInstalled(MODULE_TYPE_EXECUTOR, _SELF, "");
    }

    function _deposit(
        uint256 record,
        uint256 kept,
        address brought,
        uint256 broughtAmount
    ) private returns (address, uint256) {
        (address vault, address token, uint256 amount, uint256 minShares) = _decode(record);
        if (amount == type(uint256).max) {
            if (brought == address(0)) revert NothingToChain();
            if (brought != token) revert ChainedTokenMismatch(brought, token);
            amount = broughtAmount;
        }

        uint256 before = _balance(vault);
        IERC20(token).forceApprove(vault, amount + kept);
        _call(vault, abi.encodeCall(IERC4626.deposit, (amount, address(this))));
        // A vault that took less than it was allowed, or none of it, must not keep the rest.
        if (IERC20(token).allowance(address(this), vault) > kept) IERC20(token).forceApprove(vault, kept);
        uint256 shares = _increase(vault, before);
        if (shares < minShares) revert MinSharesNotMet(minShares, shares);
        return (vault, shares);
    }

    function _redeem(uint256 record) private returns (address, uint256) {
        (address vault, address token, uint256 shares, uint256 minAssets) = _decode(record);
        if (shares == type(uint256).max) shares = _balance(vault);

        uint256 before = _balance(token);
        _call(vault, abi.encodeCall(IERC4626.redeem, (shares, address(this), address(this))));
        uint256 assets = _increase(token, before);
        if (assets < minAssets) revert MinAssetsNotMet(minAssets, assets);
        return (token, assets);
    }

    function _approve(uint256 record) private {
        (address spender, address token, uint256 amount) = _head(record);
        IERC20(token).forceApprove(spender, amount);
    }

    /// @dev What a vault returns is never looked at.
    function _call(address vault, bytes memory data) private {
        if (!LowLevelCall.callNoReturn(vault, data)) LowLevelCall.bubbleRevert();
    }

    /// @dev A balance that fell counts as nothing brought, so that the caller sees the minimum's error.
    function _increase(address token, uint256 before) private view returns (uint256) {
        uint256 present = _balance(token);
        return present > before ? present - before : 0;
    }

    function _balance(address token) private view returns (uint256) {
        return IERC20(token).balanceOf(address(this));
    }

    function _decode(
        uint256 record
    ) private pure returns (address vault, address token, uint256 amount, uint256 minimum) {
        (vault, token, amount) = _head(record);
        unchecked {
            minimum = _word(record + 73);
        }
        if (minimum == 0) revert MinimumIsZero();
    }

    /// @param record Place of a record in calldata whose length has been checked.
    function _head(uint256 record) private pure returns (address party, address token, uint256 amount) {
        unchecked {
            party = address(uint160(_word(record + 1) >> 96));
            token = address(uint160(_word(record + 21) >> 96));
            amount = _word(record + 41);
        }
    }

    function _word(uint256 place) private pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := calldataload(place)
        }
    }
}
