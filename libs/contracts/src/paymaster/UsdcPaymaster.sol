// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {PaymasterERC20} from "@openzeppelin/contracts/account/paymaster/extensions/PaymasterERC20.sol";
import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IPriceFeed} from "../interfaces/IPriceFeed.sol";
import {IUsdcPermit} from "../interfaces/IUsdcPermit.sol";
import {ChainAssets, PriceSources} from "../libraries/ChainAssets.sol";

/// @title Paymaster that is paid in USDC out of an allowance
/// @notice Validation pulls the most an operation can cost from its sender, `postOp` returns what was not used. The
/// price of ETH in USDC, plus a markup, is the one that {updatePrice} stored.
///
/// `paymasterAndData` carries nothing beyond the two gas limits, or a permit that sets the allowance first:
/// `uint8 0 ‖ address usdc ‖ uint256 value ‖ 65 bytes signature`, with a deadline of 2^256-1. A permit that was used
/// before is no failure: what counts is the allowance.
///
/// What it does not do: it reads neither a feed nor the clock while validating (ERC-7562 forbids the clock, and feeds
/// read it) but returns until when the stored price is valid, and the entry point refuses later. `postOp` refreshes the
/// price in the second half of its life, at the cost of that operation, where its gas limit allows.
///
/// Dangerous combinations:
/// - Not staked: public bundlers refuse it, since it writes to the token during validation.
/// - Nobody stores a price: once the last one has expired, no operation is accepted until someone calls {updatePrice}.
/// - A sender without any USDC left when the refund arrives pays {EMPTY_BALANCE_GAS} more, since the refund may fill an
///   empty slot. One base unit left avoids it.
/// - The owner can change the markup up to {MAX_MARKUP_BPS} and the ceiling at any time, between signing and
///   inclusion too. A sender's loss per operation is bounded by the ceiling and by its allowance.
contract UsdcPaymaster is PaymasterERC20, Ownable2Step {
    error PaymasterAnswerRejected(IPriceFeed feed, int256 answer);
    error PaymasterPriceStale();
    error PaymasterPriceMissing();
    error PaymasterSequencerDown();
    error PaymasterDataMalformed();
    error PaymasterCostAboveCeiling(uint256 cost, uint256 ceiling);
    error PaymasterOperationTooLong(uint256 length);
    error PaymasterMarkupTooHigh(uint256 markupBps);
    /// @notice Without an owner, deposit, stake and earnings would stay where they are for good.
    error PaymasterNeedsOwner();

    event PriceUpdated(uint64 usdcPerEth, uint48 validUntil);
    event MarkupChanged(uint16 markupBps);
    event OperationCeilingChanged(uint64 ceiling);

    /// @dev One slot, which is all that validation reads of this contract.
    struct Terms {
        /// Base units of USDC for one ETH, without markup.
        uint64 usdcPerEth;
        /// Last second in which the entry point accepts the price.
        uint48 validUntil;
        /// From this second on, `postOp` refreshes the price.
        uint48 refreshAt;
        /// Added to the price, in basis points.
        uint16 markupBps;
        /// Largest prefund of one operation, in base units of USDC.
        uint64 operationCeiling;
    }

    /// @notice Highest markup the owner can set: 20 %.
    uint16 public constant MAX_MARKUP_BPS = 2_000;
    /// @notice Gas that the entry point bills after reporting the cost to `postOp`; charged on top. Measured: 15,271 when
    /// the refund brings the balance back to what it was before, for the longest operation.
    uint256 public constant POST_OP_GAS = 15_500;
    /// @notice Charged on top of that for a refund to an empty balance. Measured: 17,149.
    uint256 public constant EMPTY_BALANCE_GAS = 17_200;
    /// @notice Longest call of the entry point that validates an operation: of ERC-7562's 8 KiB. The memory that a longer
    /// one takes makes `postOp` dearer.
    uint256 public constant MAX_OPERATION_BYTES = 8_260;
    /// @notice `postOp` refreshes the price when it has this much gas, and leaves the refund {REFUND_GAS} of it.
    uint256 public constant REFRESH_GAS = 100_000;
    uint256 public constant REFUND_GAS = 35_000;

    // Accepted dollar prices, 8 decimals. Outside, the feed is taken to be broken.
    int256 private constant MIN_ETH_USD = 100e8;
    int256 private constant MAX_ETH_USD = 100_000e8;
    int256 private constant MIN_USDC_USD = 0.9e8;
    int256 private constant MAX_USDC_USD = 1.1e8;
    // Prices lag after the sequencer of an L2 comes back.
    uint256 private constant SEQUENCER_GRACE = 1 hours;

    uint256 private constant BPS = 10_000;
    uint256 private constant USDC_UNIT = 1e6;
    uint256 private constant PERMIT_DATA_OFFSET = 52;
    uint256 private constant PERMIT_DATA_LENGTH = 118;

    /// @notice Token in which senders pay.
    IERC20 public immutable usdc;

    IEntryPoint private immutable _ENTRY_POINT;
    IPriceFeed private immutable _ETH_USD;
    uint256 private immutable _ETH_USD_HEARTBEAT;
    IPriceFeed private immutable _USDC_USD;
    uint256 private immutable _USDC_USD_HEARTBEAT;
    IPriceFeed private immutable _SEQUENCER;
    uint256 private immutable _MAX_AGE;

    /// @notice The stored price and what limits its use.
    Terms public terms;

    constructor(IEntryPoint entryPoint_, address owner_) Ownable(owner_) {
        PriceSources memory sources = ChainAssets.priceSources();
        _ENTRY_POINT = entryPoint_;
        usdc = IERC20(ChainAssets.usdc());
        _ETH_USD = sources.ethUsd;
        _ETH_USD_HEARTBEAT = sources.ethUsdHeartbeat;
        _USDC_USD = sources.usdcUsd;
        _USDC_USD_HEARTBEAT = sources.usdcUsdHeartbeat;
        _SEQUENCER = sources.sequencer;
        _MAX_AGE = sources.maxAge;
        terms.markupBps = 500;
        terms.operationCeiling = ChainAssets.operationCeiling();
    }

    /// @notice Store the present price. Anyone may, at any time.
    function updatePrice() external {
        _checkSequencer();
        (uint256 eth, uint256 ethUntil) = _read(_ETH_USD, _ETH_USD_HEARTBEAT, MIN_ETH_USD, MAX_ETH_USD);
        (uint256 usd, uint256 usdUntil) = _read(_USDC_USD, _USDC_USD_HEARTBEAT, MIN_USDC_USD, MAX_USDC_USD);
        uint256 validUntil = Math.min(Math.min(ethUntil, usdUntil), block.timestamp + _MAX_AGE);
        if (validUntil <= block.timestamp) revert PaymasterPriceStale();
        // The bounds keep the price below 2^64, and the clock the times below 2^48.
        terms.usdcPerEth = uint64(Math.ceilDiv(eth * USDC_UNIT, usd));
        terms.validUntil = uint48(validUntil);
        terms.refreshAt = uint48((block.timestamp + validUntil) / 2);
        emit PriceUpdated(terms.usdcPerEth, uint48(validUntil));
    }

    /// @param markupBps At most {MAX_MARKUP_BPS}.
    function setMarkup(uint16 markupBps) external onlyOwner {
        if (markupBps > MAX_MARKUP_BPS) revert PaymasterMarkupTooHigh(markupBps);
        terms.markupBps = markupBps;
        emit MarkupChanged(markupBps);
    }

    /// @param ceiling Base units of USDC; zero stops the paymaster.
    function setOperationCeiling(uint64 ceiling) external onlyOwner {
        terms.operationCeiling = ceiling;
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

    function renounceOwnership() public pure override {
        revert PaymasterNeedsOwner();
    }

    /// @notice The stored rate, from which cost = ⌈wei × rate / 1e18⌉.
    /// @return rate Base units of USDC for one ETH, markup included, rounded up.
    /// @return validUntil Last second in which the entry point accepts this rate.
    function tokenPerNative() public view returns (uint256 rate, uint48 validUntil) {
        Terms memory present = terms;
        // A validity of zero would mean "for ever" to the entry point.
        if (present.validUntil == 0) revert PaymasterPriceMissing();
        rate = Math.ceilDiv(present.usdcPerEth * (BPS + present.markupBps), BPS);
        validUntil = present.validUntil;
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
        if (msg.data.length > MAX_OPERATION_BYTES) revert PaymasterOperationTooLong(msg.data.length);
        if (amount > terms.operationCeiling) revert PaymasterCostAboveCeiling(amount, terms.operationCeiling);
        if (userOp.paymasterAndData.length != PERMIT_DATA_OFFSET) {
            _permit(prefunder, userOp.paymasterAndData[PERMIT_DATA_OFFSET:]);
        }
        return super._prefund(userOp, userOpHash, token, rate, prefunder, amount);
    }

    function _postOp(
        PostOpMode mode,
        bytes calldata context,
        uint256 actualGasCost,
        uint256 actualUserOpFeePerGas
    ) internal override {
        uint256 gas = _refreshIfDue();
        // The sender, as OpenZeppelin packs the context.
        if (usdc.balanceOf(address(bytes20(context[116:136]))) == 0) gas += EMPTY_BALANCE_GAS;
        super._postOp(mode, context, actualGasCost + gas * actualUserOpFeePerGas, actualUserOpFeePerGas);
    }

    function _postOpCost() internal pure override returns (uint256) {
        return POST_OP_GAS;
    }

    /// @dev The deadline is for ever, since the token would compare any other with the clock. A permit that fails is
    /// passed over: somebody may have used it first, and without an allowance the prefund fails.
    function _permit(address owner, bytes calldata data) private {
        if (data.length != PERMIT_DATA_LENGTH || data[0] != 0 || address(bytes20(data[1:21])) != address(usdc)) {
            revert PaymasterDataMalformed();
        }
        try
            IUsdcPermit(address(usdc)).permit(
                owner,
                address(this),
                uint256(bytes32(data[21:53])),
                type(uint256).max,
                data[53:]
            )
        {} catch {}
    }

    /// @return used Gas that the refresh took, whether or not it brought a price.
    function _refreshIfDue() private returns (uint256 used) {
        uint256 available = gasleft();
        if (block.timestamp < terms.refreshAt || available < REFRESH_GAS) return 0;
        try this.updatePrice{gas: available - REFUND_GAS}() {} catch {}
        used = available - gasleft();
    }

    function _checkSequencer() private view {
        if (address(_SEQUENCER) == address(0)) return;
        (, int256 answer, uint256 startedAt, , ) = _SEQUENCER.latestRoundData();
        // A start of zero is a round that nobody reported.
        if (answer != 0 || startedAt == 0 || block.timestamp < startedAt + SEQUENCER_GRACE) {
            revert PaymasterSequencerDown();
        }
    }

    /// @return price What `feed` says, 8 decimals.
    /// @return until Last second in which it counts.
    function _read(
        IPriceFeed feed,
        uint256 heartbeat,
        int256 least,
        int256 most
    ) private view returns (uint256 price, uint256 until) {
        (, int256 answer, , uint256 updatedAt, ) = feed.latestRoundData();
        if (answer < least || answer > most) revert PaymasterAnswerRejected(feed, answer);
        return (uint256(answer), updatedAt + heartbeat);
    }
}
