// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {PaymasterERC20} from "@openzeppelin/contracts/account/paymaster/extensions/PaymasterERC20.sol";
import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IPriceFeed} from "../interfaces/IPriceFeed.sol";
import {ChainAssets} from "../libraries/ChainAssets.sol";

/// @title Paymaster that is paid in USDC out of a plain allowance
/// @notice Validation pulls the most an operation can cost from its sender, `postOp` returns what was not used. The
/// price comes from an ETH/USD feed, plus a markup. `paymasterAndData` carries nothing beyond the two gas limits.
///
/// What it does not do: it never reads the clock while validating (ERC-7562 forbids it) but returns
/// `validUntil = updatedAt + heartbeat`, and the entry point refuses later; it does not take permits; it does not
/// ask an L2's sequencer feed; it assumes that one USDC is one dollar.
///
/// Dangerous combinations:
/// - Not staked: public bundlers refuse it, since it writes to the token during validation.
/// - A USDC far below its peg lets senders pay too little; the owner has to raise the markup or withdraw the deposit.
/// - Renouncing the ownership leaves deposit, stake and earnings where they are for good.
/// - The owner can change the markup up to {MAX_MARKUP_BPS} and the ceiling at any time, between signing and
///   inclusion too. A sender's loss per operation is bounded by the ceiling and by its allowance.
contract UsdcPaymaster is PaymasterERC20, Ownable2Step {
    error PaymasterPriceOutOfBounds(int256 answer);
    error PaymasterPriceIncomplete();
    error PaymasterCostAboveCeiling(uint256 cost, uint256 ceiling);
    error PaymasterMarkupTooHigh(uint256 markupBps);

    event MarkupChanged(uint16 markupBps);
    event OperationCeilingChanged(uint64 ceiling);

    /// @notice Highest markup the owner can set: 20 %.
    uint16 public constant MAX_MARKUP_BPS = 2_000;
    /// @notice Accepted dollar price of one ETH, 8 decimals. Outside, the feed is taken to be broken.
    int256 public constant MIN_ETH_USD = 100e8;
    int256 public constant MAX_ETH_USD = 100_000e8;

    /// @notice Gas that the entry point bills for `postOp` after reporting the cost to it; charged on top. Measured: 9k
    /// with a plain token; the proxied USDC adds about 7k.
    uint256 public constant POST_OP_GAS = 25_000;

    uint256 private constant BPS = 10_000;
    // An 8-decimal dollar price over 6-decimal USDC units.
    uint256 private constant PRICE_TO_USDC = 1e2;

    /// @notice Token in which senders pay.
    IERC20 public immutable usdc;
    /// @notice ETH/USD aggregator, 8 decimals.
    IPriceFeed public immutable feed;
    /// @notice Seconds after the feed's last update during which operations are accepted.
    uint32 public immutable heartbeat;

    IEntryPoint private immutable _ENTRY_POINT;

    /// @notice Added to the feed's price, in basis points.
    uint16 public markupBps = 500;
    /// @notice Largest prefund of one operation, in base units of USDC.
    uint64 public operationCeiling = 50e6;

    constructor(IEntryPoint entryPoint_, address owner_) Ownable(owner_) {
        _ENTRY_POINT = entryPoint_;
        usdc = IERC20(ChainAssets.usdc());
        (address feed_, uint32 heartbeat_) = ChainAssets.ethUsdFeed();
        feed = IPriceFeed(feed_);
        heartbeat = heartbeat_;
    }

    /// @param markupBps_ At most {MAX_MARKUP_BPS}.
    function setMarkup(uint16 markupBps_) external onlyOwner {
        if (markupBps_ > MAX_MARKUP_BPS) revert PaymasterMarkupTooHigh(markupBps_);
        markupBps = markupBps_;
        emit MarkupChanged(markupBps_);
    }

    /// @param ceiling Base units of USDC; zero stops the paymaster.
    function setOperationCeiling(uint64 ceiling) external onlyOwner {
        operationCeiling = ceiling;
        emit OperationCeilingChanged(ceiling);
    }

    /// @notice Send earned tokens out. Not while an operation runs: its refund is in the balance.
    /// @param amount Base units of `token`; 2^256-1 for the whole balance.
    function withdrawTokens(IERC20 token, address to, uint256 amount) external onlyOwner {
        _withdrawTokens(token, to, amount);
    }

    /// @notice Add to the deposit out of which the entry point is paid.
    function deposit() external payable onlyOwner {
        _deposit(msg.value);
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

    /// @notice The USDC that validation would pull at the present price.
    /// @param maxCostWei Sum of the operation's five gas limits times `maxFeePerGas`.
    /// @param postOpGasLimit The operation's `paymasterPostOpGasLimit`; above 40000 its unused part is penalised.
    /// @return prefund Base units of USDC.
    /// @return validUntil Last second in which the entry point accepts this price.
    function quote(
        uint256 maxCostWei,
        uint256 maxFeePerGas,
        uint256 postOpGasLimit
    ) external view returns (uint256 prefund, uint48 validUntil) {
        uint256 rate;
        (rate, validUntil) = tokenPerNative();
        prefund = _erc20Cost(maxCostWei + (POST_OP_GAS + _postOpGasPenalty(postOpGasLimit)) * maxFeePerGas, rate);
    }

    /// @notice The present rate, from which cost = ⌈wei × rate / 1e18⌉.
    /// @return rate Base units of USDC for one ETH, markup included, rounded up.
    /// @return validUntil Last second in which the entry point accepts this rate.
    function tokenPerNative() public view returns (uint256 rate, uint48 validUntil) {
        (, int256 answer, , uint256 updatedAt, ) = feed.latestRoundData();
        if (answer < MIN_ETH_USD || answer > MAX_ETH_USD) revert PaymasterPriceOutOfBounds(answer);
        // A round without an answer must not become a validity of zero, which means "for ever".
        if (updatedAt == 0 || updatedAt > type(uint40).max) revert PaymasterPriceIncomplete();
        // The bounds above keep every product below 2^64.
        unchecked {
            rate = Math.ceilDiv(uint256(answer) * (BPS + markupBps), BPS * PRICE_TO_USDC);
            validUntil = uint48(updatedAt) + heartbeat;
        }
    }

    /// @return The entry point fixed at deployment.
    function entryPoint() public view override returns (IEntryPoint) {
        return _ENTRY_POINT;
    }

    function _fetchDetails(
        PackedUserOperation calldata,
        bytes32
    ) internal view override returns (uint256 validationData, IERC20 token, uint256 rate) {
        uint48 validUntil;
        (rate, validUntil) = tokenPerNative();
        return (uint256(validUntil) << 160, usdc, rate);
    }

    function _prefund(
        PackedUserOperation calldata userOp,
        bytes32 userOpHash,
        IERC20 token,
        uint256 rate,
        address prefunder,
        uint256 amount
    ) internal override returns (bool, address, uint256, bytes memory) {
        if (amount > operationCeiling) revert PaymasterCostAboveCeiling(amount, operationCeiling);
        return super._prefund(userOp, userOpHash, token, rate, prefunder, amount);
    }

    function _postOpCost() internal pure override returns (uint256) {
        return POST_OP_GAS;
    }
}
