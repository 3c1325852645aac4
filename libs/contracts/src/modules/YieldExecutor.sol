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
import {ChainAssets} from "../libraries/ChainAssets.sol";

/// @title Executor module that moves an account's assets into and out of ERC-4626 vaults
/// @notice The account that has this module runs {runHooks} as its own code, by delegate call, with one to eight packed
/// records, each a hook id and that hook's data. The hooks are fixed: there is none that transfers, and none that names
/// a receiver. Shares and assets always go to the account.
///
/// | hook | record after the id byte |
/// |---|---|
/// | 0x01 approve and deposit | `address vault ‖ address token ‖ uint256 amount ‖ uint256 minShares` |
/// | 0x02 redeem | `address vault ‖ address token ‖ uint256 shares ‖ uint256 minAssets` |
/// | 0x03 approve the paymaster | `uint256 amount` |
///
/// Each vault hook measures what it brought as a difference of balances, never by what the vault says it returned, and
/// reverts below the signed minimum.
///
/// A deposit of USDC leaves one base unit allowed to the vault: a slot that never empties is cheaper to write. Any other
/// token is approved exactly, and zero stays allowed.
///
/// What it does not do: it does not judge vaults, quote prices, or keep funds or state; it writes no storage of the
/// account. Nothing is caught: the first failure reverts all of {runHooks} with the original reason.
///
/// Dangerous combinations:
/// - The minimum is the only protection from a hostile vault and from a share price moved before inclusion. A vault
///   nobody vetted together with a low minimum is a gift.
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
    error AllowanceAboveCap(uint256 cap, uint256 amount);

    uint256 private constant HOOK_DEPOSIT = 0x01;
    uint256 private constant HOOK_REDEEM = 0x02;
    uint256 private constant HOOK_APPROVE_PAYMASTER = 0x03;
    uint256 private constant MAX_HOOKS = 8;
    uint256 private constant VAULT_RECORD = 105;
    uint256 private constant APPROVE_RECORD = 33;
    // Transient storage is the account's, so each account has a lock of its own.
    bytes32 private constant LOCK = keccak256("yieldvault.executor.lock");

    address private immutable _SELF = address(this);
    /// @notice The only spender that hook 0x03 approves.
    address public immutable paymaster;
    /// @notice The only token that hook 0x03 approves: the native USDC of this chain.
    address public immutable usdc;
    /// @notice Largest allowance that hook 0x03 sets, in base units of USDC.
    uint256 public immutable allowanceCap;

    constructor(address paymaster_) {
        paymaster = paymaster_;
        allowanceCap = ChainAssets.allowanceCap();
        usdc = ChainAssets.usdc();
    }

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
            uint256 size = hookId == HOOK_APPROVE_PAYMASTER ? APPROVE_RECORD : VAULT_RECORD;
            if (hookId == 0 || hookId > HOOK_APPROVE_PAYMASTER) revert UnknownHook(uint8(hookId));
            // Both are places inside calldata, and the cursor is before the end.
            unchecked {
                if (end - cursor < size) revert MalformedEntries();
            }
            if (hookId == HOOK_DEPOSIT) {
                (brought, broughtAmount) = _deposit(cursor, brought, broughtAmount);
            } else if (hookId == HOOK_REDEEM) {
                (brought, broughtAmount) = _redeem(cursor);
            } else {
                _approvePaymaster(cursor);
                (brought, broughtAmount) = (address(0), 0);
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
        uint256 kept = token == usdc ? 1 : 0;
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

    function _approvePaymaster(uint256 record) private {
        uint256 amount = _word(record + 1);
        if (amount > allowanceCap) revert AllowanceAboveCap(allowanceCap, amount);
        IERC20(usdc).forceApprove(paymaster, amount);
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

    /// @param record Place of a record in calldata whose length has been checked.
    function _decode(
        uint256 record
    ) private pure returns (address vault, address token, uint256 amount, uint256 minimum) {
        unchecked {
            vault = address(uint160(_word(record + 1) >> 96));
            token = address(uint160(_word(record + 21) >> 96));
            amount = _word(record + 41);
            minimum = _word(record + 73);
        }
        if (minimum == 0) revert MinimumIsZero();
    }

    function _word(uint256 place) private pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := calldataload(place)
        }
    }
}
