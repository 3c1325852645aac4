// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Paymaster} from "@openzeppelin/contracts/account/paymaster/Paymaster.sol";
import {ERC4337Utils} from "@openzeppelin/contracts/account/utils/ERC4337Utils.sol";
import {IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {IERC20, SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {TransientSlot} from "@openzeppelin/contracts/utils/TransientSlot.sol";
import {GRANT_MARK, IGasPayer} from "../interfaces/IGasPayer.sol";
import {PaymasterTerms} from "./PaymasterTerms.sol";

/// @title Paymaster that is paid in USDC by the accounts of one implementation
/// @notice Validation asks the sender for the most that its operation can cost ({IGasPayer}), and `postOp` returns what
/// was not used. The price of the native token in USDC, plus a markup, is the one that {updatePrice} stored.
///
/// `paymasterAndData` carries after the two gas limits the grant of the account:
/// `bytes4 mark ‖ address usdc ‖ uint96 maximum`.
///
/// A sender is known by the hash of its EIP-7702 delegation. That code pays the full amount in USDC or reverts, if the
/// paymaster asks right after the validation. So no balance is compared.
///
/// What it does not do: it reads neither a feed nor the clock while validating (ERC-7562 forbids the clock, and feeds
/// read it) but returns until when the stored price is valid, and the entry point refuses later. `postOp` refreshes the
/// price in the last tenth of its life, at the cost of that operation, where its gas limit allows.
///
/// Dangerous combinations:
/// - Without a stake, public bundlers refuse it: its validation changes its own USDC balance, which ERC-7562 allows only
///   with a stake.
/// - Nobody stores a price: once the last one has expired, no operation is accepted until someone calls {updatePrice}.
/// - If the sender's balance at the refund is what it was before the transaction, the first attempt runs out of gas. The
///   sender then pays {SECOND_REFUND_GAS} more.
contract UsdcPaymaster is Paymaster, PaymasterTerms {
    using ERC4337Utils for PackedUserOperation;
    using SafeERC20 for IERC20;
    using TransientSlot for *;

    error PaymasterUnknownAccount(address sender);
    error PaymasterDataMalformed();
    error PaymasterCostAboveCeiling(uint256 cost, uint256 ceiling);
    error PaymasterOperationTooLong(uint256 length);
    error PaymasterOperationsUnderWay();
    error PaymasterRefundFailed(address sender);

    /// @notice What an operation paid, in base units of USDC, and the rate with its markup.
    event UserOperationSponsored(bytes32 indexed userOpHash, uint256 tokenAmount, uint256 tokenPerNative);

    // What each attempt at the refund may take. The first suffices for a balance that the transaction changed already, as the
    // sender's payment did: at most 5,560 with Circle's code. The second can fill an empty slot, or pay for a new version of
    // USDC whose transfers cost more gas.
    uint256 private constant FIRST_REFUND_LIMIT = 6_200;
    uint256 private constant SECOND_REFUND_LIMIT = 26_000;
    /// @notice Gas that the entry point bills after reporting the cost to `postOp`, at most; charged on top. Measured without
    /// the refund: 4,839, for the longest operation.
    uint256 public constant POST_OP_GAS = 5_000 + FIRST_REFUND_LIMIT;
    /// @notice Charged on top of that for a second attempt. Measured without the refund: 655.
    uint256 public constant SECOND_REFUND_GAS = 800 + SECOND_REFUND_LIMIT;
    /// @notice Longest call data of `validatePaymasterUserOp`: 8,192 bytes of the encoded operation, as in ERC-7562, the
    /// selector and two words. The memory of a longer one makes `postOp` more expensive.
    uint256 public constant MAX_OPERATION_BYTES = 8_260;
    /// @notice `postOp` refreshes the price when it has this much gas.
    uint256 public constant REFRESH_THRESHOLD = 100_000;
    // What a refresh leaves to the rest of `postOp`.
    uint256 private constant POST_REFRESH_RESERVE = 37_000;

    // Up to this limit of `postOp` there is no penalty. Above it the entry point takes at most a tenth of the limit, and we
    // charge that.
    uint256 private constant PENALTY_THRESHOLD = 40_000;
    uint256 private constant GRANT_OFFSET = 52;
    uint256 private constant DATA_END = 88;
    bytes32 private constant UNDER_WAY = keccak256("yieldvault.paymaster.underway");

    bytes32 private immutable _DELEGATION;
    /// @dev Data must begin with the mark and USDC. Otherwise the account may still hold an older grant of another token.
    bytes24 private immutable _GRANT_PREFIX;

    /// @param account The implementation to which senders delegate.
    /// @dev What the deployment sends along becomes the stake, so that the owner need not sign on the first day.
    constructor(address account, Settings memory settings) payable PaymasterTerms(settings) {
        _DELEGATION = keccak256(abi.encodePacked(hex"ef0100", account));
        _GRANT_PREFIX = bytes24(abi.encodePacked(GRANT_MARK, settings.usdc));
        if (msg.value != 0) _addStake(msg.value, 1 days);
    }

    /// @notice Send earned tokens out. Not in a transaction with operations: their refunds are in the balance.
    /// @param amount Base units of `token`; 2^256-1 for the whole balance.
    function withdrawTokens(IERC20 token, address to, uint256 amount) external onlyOwner {
        if (UNDER_WAY.asBoolean().tload()) revert PaymasterOperationsUnderWay();
        token.safeTransfer(to, amount == type(uint256).max ? token.balanceOf(address(this)) : amount);
    }

    function withdrawDeposit(address payable to, uint256 amount) external onlyOwner {
        _withdraw(to, amount);
    }

    /// @dev Gated, because anybody else could prolong the delay.
    function addStake(uint32 unstakeDelaySeconds) external payable onlyOwner {
        _addStake(msg.value, unstakeDelaySeconds);
    }

    function unlockStake() external onlyOwner {
        _unlockStake();
    }

    function withdrawStake(address payable to) external onlyOwner {
        _withdrawStake(to);
    }

    /// @return The entry point fixed at deployment.
    function entryPoint() public view override returns (IEntryPoint) {
        return _ENTRY_POINT;
    }

    /// @dev An account that does not pay fails like a wrong signature, so that gas can be estimated with a stub.
    function _validatePaymasterUserOp(
        PackedUserOperation calldata userOp,
        bytes32 userOpHash,
        uint256 maxCost
    ) internal override returns (bytes memory context, uint256 validationData) {
        if (msg.data.length > MAX_OPERATION_BYTES) revert PaymasterOperationTooLong(msg.data.length);
        address sender = userOp.sender;
        if (sender.codehash != _DELEGATION) revert PaymasterUnknownAccount(sender);
        bytes calldata data = userOp.paymasterAndData;
        if (data.length != DATA_END || bytes24(data[GRANT_OFFSET:]) != _GRANT_PREFIX) revert PaymasterDataMalformed();

        (uint256 rate, uint48 validUntil, uint256 ceiling) = _readTerms();
        uint256 limit = userOp.paymasterPostOpGasLimit();
        uint256 penalty = limit > PENALTY_THRESHOLD ? limit / 10 : 0;
        uint256 prefund = _usdcFor(maxCost + (POST_OP_GAS + penalty) * userOp.maxFeePerGas(), rate);
        if (prefund > ceiling) revert PaymasterCostAboveCeiling(prefund, ceiling);

        bool paid = LowLevelCall.callNoReturn(sender, abi.encodeCall(IGasPayer.payForGas, (prefund)));
        if (!paid) return ("", ERC4337Utils.SIG_VALIDATION_FAILED);
        UNDER_WAY.asBoolean().tstore(true);
        return (abi.encode(userOpHash, sender, rate, prefund, penalty), uint256(validUntil) << 160);
    }

    function _postOp(
        PostOpMode,
        bytes calldata context,
        uint256 actualGasCost,
        uint256 actualUserOpFeePerGas
    ) internal override {
        (bytes32 userOpHash, address sender, uint256 rate, uint256 prefund, uint256 penalty) = abi.decode(
            context,
            (bytes32, address, uint256, uint256, uint256)
        );
        uint256 gas = POST_OP_GAS + penalty + _refreshIfDue();
        uint256 charge = _usdcFor(actualGasCost + gas * actualUserOpFeePerGas, rate);
        if (!_refund(sender, prefund - charge, FIRST_REFUND_LIMIT)) {
            charge += _usdcFor(SECOND_REFUND_GAS * actualUserOpFeePerGas, rate);
            if (!_refund(sender, prefund - charge, SECOND_REFUND_LIMIT)) revert PaymasterRefundFailed(sender);
        }
        emit UserOperationSponsored(userOpHash, charge, rate);
    }

    /// @return used Gas that the refresh took, whether or not it brought a price.
    function _refreshIfDue() private returns (uint256 used) {
        uint256 available = gasleft();
        if (block.timestamp < terms.refreshAt || available < REFRESH_THRESHOLD) return 0;
        try this.updatePrice{gas: available - POST_REFRESH_RESERVE}() {} catch {}
        used = available - gasleft();
    }

    /// @dev Bounded, so that the charge covers the bill whatever the token does.
    function _refund(address to, uint256 amount, uint256 gasLimit) private returns (bool) {
        try usdc.transfer{gas: gasLimit}(to, amount) returns (bool success) {
            return success;
        } catch {
            return false;
        }
    }

    /// @dev An overflow reverts in validation; later amounts are smaller.
    function _usdcFor(uint256 nativeWei, uint256 rate) private pure returns (uint256) {
        return (nativeWei * rate + 1 ether - 1) / 1 ether;
    }
}
