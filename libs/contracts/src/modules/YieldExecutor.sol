// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC4626} from "@openzeppelin/contracts/interfaces/IERC4626.sol";
import {
    IERC7579Execution,
    IERC7579Module,
    IERC7579ModuleConfig,
    MODULE_TYPE_EXECUTOR
} from "@openzeppelin/contracts/interfaces/draft-IERC7579.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ChainAssets} from "../libraries/ChainAssets.sol";

/// @title Executor module that moves an account's assets into and out of ERC-4626 vaults
/// @notice An account that installed this module calls {execute} with one to eight packed records, each a hook id and
/// that hook's data. The hooks are fixed: there is none that transfers, and none that names a receiver. Shares and
/// assets always go to the account that called.
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
/// What it does not do: it does not judge vaults, quote prices, or keep funds or state. Nothing is caught: the first
/// failure reverts all of {execute} with the original reason.
///
/// Dangerous combinations:
/// - The minimum is the only protection from a hostile vault and from a share price moved before inclusion. A vault
///   nobody vetted together with a low minimum is a gift.
/// - A token with transfer hooks may call back into third parties, though not into {execute}.
/// - Any contract can call {execute} and appear in the events as `account`; only its own balances are concerned.
contract YieldExecutor is IERC7579Module {
    /// @notice The caller is not an ERC-7579 account. (One without this module reverts with its own error.)
    error ModuleNotInstalled(address account);
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
    /// @notice The token did not take the allowance that was set.
    error AllowanceNotSet(address token, address spender);

    event Deposited4626(address indexed account, address indexed vault, uint256 assets, uint256 shares);
    event Redeemed4626(address indexed account, address indexed vault, uint256 assets, uint256 shares);
    event PaymasterApproved(address indexed account, uint256 amount);

    uint256 private constant HOOK_DEPOSIT = 0x01;
    uint256 private constant HOOK_REDEEM = 0x02;
    uint256 private constant HOOK_APPROVE_PAYMASTER = 0x03;
    uint256 private constant MAX_HOOKS = 8;
    uint256 private constant VAULT_RECORD = 105;
    uint256 private constant APPROVE_RECORD = 33;
    uint256 private constant EXECUTION_SIZE = 7 * 32;
    bytes32 private constant MODE_SINGLE = 0;
    bytes32 private constant MODE_BATCH = bytes32(bytes1(0x01));

    /// @notice The only spender that hook 0x03 approves.
    address public immutable paymaster;
    /// @notice The only token that hook 0x03 approves: the native USDC of this chain.
    address public immutable usdc;
    /// @notice Largest allowance that hook 0x03 sets, in base units of USDC.
    uint256 public immutable allowanceCap;

    // Transient: one lock for all accounts, since a hostile vault may act through an account of its own.
    bool private transient _entered;

    constructor(address paymaster_, uint256 allowanceCap_) {
        paymaster = paymaster_;
        allowanceCap = allowanceCap_;
        usdc = ChainAssets.usdc();
    }

    /// @notice Run the hooks in `entries` for the calling account.
    /// @param entries One to eight records, packed back to back; see the table above. In a deposit, an amount of
    /// 2^256-1 means what the previous hook brought; in a redeem, shares of 2^256-1 mean the account's whole balance.
    function execute(bytes calldata entries) external {
        if (_entered) revert ExecutorReentered();
        _entered = true;

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

        _entered = false;
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
            IERC7579ModuleConfig(account).isModuleInstalled(MODULE_TYPE_EXECUTOR, address(this), "");
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

        uint256 before = IERC20(vault).balanceOf(msg.sender);
        // USDT refuses to change an allowance that is not zero.
        if (IERC20(token).allowance(msg.sender, vault) != 0) _setAllowance(token, vault, 0);
        _callBackTwice(
            _execution(token, IERC20.approve.selector, uint160(vault), amount),
            _execution(vault, IERC4626.deposit.selector, amount, uint160(msg.sender))
        );
        // A vault that took less than it was allowed, or none of it, must not keep the rest.
        if (IERC20(token).allowance(msg.sender, vault) != 0) _setAllowance(token, vault, 0);
        uint256 shares = _increase(vault, before);
        if (shares < minShares) revert MinSharesNotMet(minShares, shares);

        emit Deposited4626(msg.sender, vault, amount, shares);
        return (vault, shares);
    }

    function _redeem(uint256 record) private returns (address, uint256) {
        (address vault, address token, uint256 shares, uint256 minAssets) = _decode(record);
        if (shares == type(uint256).max) shares = IERC20(vault).balanceOf(msg.sender);

        uint256 before = IERC20(token).balanceOf(msg.sender);
        _callBackOnce(vault, abi.encodeCall(IERC4626.redeem, (shares, msg.sender, msg.sender)));
        uint256 assets = _increase(token, before);
        if (assets < minAssets) revert MinAssetsNotMet(minAssets, assets);

        emit Redeemed4626(msg.sender, vault, assets, shares);
        return (token, assets);
    }

    function _approvePaymaster(uint256 record) private {
        uint256 amount = _word(record + 1);
        if (amount > allowanceCap) revert AllowanceAboveCap(allowanceCap, amount);
        _setAllowance(usdc, paymaster, amount);
        emit PaymasterApproved(msg.sender, amount);
    }

    /// @dev What `approve` returns is never looked at, since USDT returns nothing; what counts is the allowance.
    function _setAllowance(address token, address spender, uint256 amount) private {
        _callBackOnce(token, abi.encodeCall(IERC20.approve, (spender, amount)));
        if (IERC20(token).allowance(msg.sender, spender) != amount) revert AllowanceNotSet(token, spender);
    }

    function _callBackOnce(address target, bytes memory data) private {
        bytes memory execution = abi.encodePacked(target, uint256(0), data);
        _callAccount(abi.encodeCall(IERC7579Execution.executeFromExecutor, (MODE_SINGLE, execution)));
    }

    /// @dev Lays `executeFromExecutor(MODE_BATCH, abi.encode(Execution[2]))` out in one pass: every length is known,
    /// and the generic encoder would copy the same bytes four times.
    function _callBackTwice(bytes memory first, bytes memory second) private {
        _callAccount(
            abi.encodePacked(
                abi.encodePacked(
                    IERC7579Execution.executeFromExecutor.selector,
                    MODE_BATCH,
                    uint256(0x40), // where the execution calldata starts
                    uint256(0x80 + 2 * EXECUTION_SIZE), // and its length
                    uint256(0x20), // where the array starts
                    uint256(2), // and its length
                    uint256(0x40), // where its elements start
                    uint256(0x40 + EXECUTION_SIZE)
                ),
                first,
                second
            )
        );
    }

    /// @dev ABI encoding of one `Execution` whose call has two words of arguments and no value.
    function _execution(
        address target,
        bytes4 selector,
        uint256 argument0,
        uint256 argument1
    ) private pure returns (bytes memory) {
        return
            abi.encodePacked(
                uint256(uint160(target)),
                uint256(0),
                uint256(0x60), // where the call data starts
                uint256(68), // and its length
                selector,
                argument0,
                argument1,
                bytes28(0)
            );
    }

    function _callAccount(bytes memory data) private {
        if (!LowLevelCall.callNoReturn(msg.sender, data)) LowLevelCall.bubbleRevert();
        // An account answers with an array; silence means that nobody executed anything.
        if (LowLevelCall.returnDataSize() < 64) revert ModuleNotInstalled(msg.sender);
    }

    /// @dev A balance that fell counts as nothing brought, so that the caller sees the minimum's error.
    function _increase(address token, uint256 before) private view returns (uint256) {
        uint256 present = IERC20(token).balanceOf(msg.sender);
        return present > before ? present - before : 0;
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
