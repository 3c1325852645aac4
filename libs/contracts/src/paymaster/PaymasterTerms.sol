// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IEntryPoint} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IPriceFeed} from "../interfaces/IPriceFeed.sol";

/// @title What the paymaster charges, and who may change it
/// @notice The price comes from two feeds, and anyone may store it. The owner sets markup and ceiling within limits that are
/// fixed at deployment. A higher markup waits a day, longer than agents let an intent live. A lower markup, a new ceiling
/// and a pause apply at once. The pauser can only stop.
abstract contract PaymasterTerms is Ownable2Step {
    error PaymasterAnswerRejected(IPriceFeed feed, int256 answer);
    error PaymasterPriceStale();
    error PaymasterPriceMissing();
    error PaymasterSequencerDown();
    error PaymasterMarkupTooHigh(uint256 markupBps);
    error PaymasterMarkupNotReady(uint256 readyAt);
    error PaymasterCeilingTooHigh(uint256 ceiling);
    error PaymasterPauserUnauthorized(address sender);
    /// @notice Without an owner, deposit, stake and earnings would stay where they are for good.
    error PaymasterNeedsOwner();

    event PriceUpdated(uint64 usdcPerNative, uint48 validUntil);
    event MarkupChanged(uint16 markupBps);
    event MarkupAnnounced(uint16 markupBps, uint48 readyAt);
    event OperationCeilingChanged(uint64 ceiling);
    event PauserChanged(address pauser);

    /// @notice Facts of a chain and of an operator; all are fixed but owner, pauser, markup and ceiling.
    struct Settings {
        /// Entry point v0.8.
        IEntryPoint entryPoint;
        /// USDC of the chain, 6 decimals.
        IERC20 usdc;
        /// Price of the native token in dollars, 8 decimals.
        IPriceFeed nativeUsd;
        /// Seconds after its update during which an answer counts: the published heartbeat and one hour, so that one late
        /// round does not stop the paymaster.
        uint32 nativeUsdMaxAge;
        /// A lower answer comes from a broken feed, 8 decimals.
        int256 leastNativeUsd;
        /// A higher answer comes from a broken feed, 8 decimals.
        int256 mostNativeUsd;
        /// Price of USDC in dollars, 8 decimals.
        IPriceFeed usdcUsd;
        /// As `nativeUsdMaxAge`.
        uint32 usdcUsdMaxAge;
        /// Tells whether the sequencer of an L2 works; zero on a chain without one.
        IPriceFeed sequencer;
        /// Seconds for which a stored price may be used.
        uint32 maxAge;
        /// First markup, in basis points.
        uint16 markupBps;
        /// First limit on the prefund of one operation, in base units of USDC.
        uint64 operationCeiling;
        /// The most that the owner can set as that limit.
        uint64 highestCeiling;
        /// First owner, e.g. a Safe.
        address owner;
        /// First address that may pause besides the owner.
        address pauser;
    }

    /// @dev One slot, which is all that validation reads of this contract.
    struct Terms {
        /// Base units of USDC for 1e18 wei of the native token, without markup.
        uint64 usdcPerNative;
        /// Last second in which the entry point accepts the price.
        uint48 validUntil;
        /// From this second on, `postOp` refreshes the price.
        uint48 refreshAt;
        /// Added to the price, in basis points.
        uint16 markupBps;
        /// Largest prefund of one operation, in base units of USDC; zero while paused.
        uint64 operationCeiling;
    }

    /// @notice Highest markup the owner can set: 20 %.
    uint16 public constant MAX_MARKUP_BPS = 2_000;
    /// @notice Seconds between announcing a higher markup and its use.
    uint48 public constant MARKUP_DELAY = 1 days;

    // Far below a dollar, so that wallets can still redeem when USDC falls. The grant limits what they pay.
    int256 private constant LEAST_USDC_USD = 0.5e8;
    int256 private constant MOST_USDC_USD = 1.1e8;
    // Prices lag after the sequencer of an L2 comes back.
    uint256 private constant SEQUENCER_GRACE = 1 hours;
    uint256 private constant BPS = 10_000;
    uint256 private constant USDC_UNIT = 1e6;

    /// @notice Token in which senders pay.
    IERC20 public immutable usdc;
    /// @notice The most that {setOperationCeiling} takes.
    uint64 public immutable highestCeiling;

    IEntryPoint internal immutable _ENTRY_POINT;
    IPriceFeed private immutable _NATIVE_USD;
    uint256 private immutable _NATIVE_USD_MAX_AGE;
    int256 private immutable _LEAST_NATIVE_USD;
    int256 private immutable _MOST_NATIVE_USD;
    IPriceFeed private immutable _USDC_USD;
    uint256 private immutable _USDC_USD_MAX_AGE;
    IPriceFeed private immutable _SEQUENCER;
    uint256 private immutable _MAX_AGE;

    /// @notice The stored price and what limits its use.
    Terms public terms;
    /// @notice Who may pause besides the owner.
    address public pauser;
    /// @notice A higher markup, and from when on it may be applied; zero if none is announced.
    uint16 public announcedMarkupBps;
    uint48 public announcedMarkupReadyAt;

    constructor(Settings memory settings) Ownable(settings.owner) {
        _ENTRY_POINT = settings.entryPoint;
        usdc = settings.usdc;
        _NATIVE_USD = settings.nativeUsd;
        _NATIVE_USD_MAX_AGE = settings.nativeUsdMaxAge;
        _LEAST_NATIVE_USD = settings.leastNativeUsd;
        _MOST_NATIVE_USD = settings.mostNativeUsd;
        _USDC_USD = settings.usdcUsd;
        _USDC_USD_MAX_AGE = settings.usdcUsdMaxAge;
        _SEQUENCER = settings.sequencer;
        _MAX_AGE = settings.maxAge;
        highestCeiling = settings.highestCeiling;
        if (settings.markupBps > MAX_MARKUP_BPS) revert PaymasterMarkupTooHigh(settings.markupBps);
        terms.markupBps = settings.markupBps;
        _setCeiling(settings.operationCeiling);
        pauser = settings.pauser;
    }

    /// @notice Store the present price. Anyone may, at any time.
    function updatePrice() external {
        _checkSequencer();
        (uint256 native, uint256 nativeUntil) = _read(
            _NATIVE_USD,
            _NATIVE_USD_MAX_AGE,
            _LEAST_NATIVE_USD,
            _MOST_NATIVE_USD
        );
        (uint256 usd, uint256 usdUntil) = _read(_USDC_USD, _USDC_USD_MAX_AGE, LEAST_USDC_USD, MOST_USDC_USD);
        uint256 validUntil = Math.min(Math.min(nativeUntil, usdUntil), block.timestamp + _MAX_AGE);
        if (validUntil <= block.timestamp) revert PaymasterPriceStale();
        // The deployed bounds keep the price below 2^64, and the clock the times below 2^48.
        terms.usdcPerNative = uint64(Math.ceilDiv(native * USDC_UNIT, usd));
        terms.validUntil = uint48(validUntil);
        terms.refreshAt = uint48(validUntil - (validUntil - block.timestamp) / 10);
        emit PriceUpdated(terms.usdcPerNative, uint48(validUntil));
    }

    /// @notice Lower the markup at once, or announce a higher one, at most {MAX_MARKUP_BPS}.
    function setMarkup(uint16 markupBps) external onlyOwner {
        if (markupBps > MAX_MARKUP_BPS) revert PaymasterMarkupTooHigh(markupBps);
        if (markupBps <= terms.markupBps) return _applyMarkup(markupBps);
        announcedMarkupBps = markupBps;
        announcedMarkupReadyAt = uint48(block.timestamp) + MARKUP_DELAY;
        emit MarkupAnnounced(markupBps, announcedMarkupReadyAt);
    }

    /// @notice Use the announced markup, after its delay.
    function applyMarkup() external onlyOwner {
        uint48 readyAt = announcedMarkupReadyAt;
        if (readyAt == 0 || block.timestamp < readyAt) revert PaymasterMarkupNotReady(readyAt);
        _applyMarkup(announcedMarkupBps);
    }

    /// @param ceiling Base units of USDC, at most {highestCeiling}; zero pauses.
    function setOperationCeiling(uint64 ceiling) external onlyOwner {
        _setCeiling(ceiling);
    }

    /// @notice Accept no operation until the owner sets a ceiling.
    function pause() external {
        if (msg.sender != pauser && msg.sender != owner()) revert PaymasterPauserUnauthorized(msg.sender);
        _setCeiling(0);
    }

    function setPauser(address pauser_) external onlyOwner {
        pauser = pauser_;
        emit PauserChanged(pauser_);
    }

    function renounceOwnership() public pure override {
        revert PaymasterNeedsOwner();
    }

    /// @notice The stored rate, from which cost = ⌈wei × rate / 1e18⌉.
    /// @return rate Base units of USDC for 1e18 wei, markup included, rounded up.
    /// @return validUntil Last second in which the entry point accepts this rate.
    function tokenPerNative() external view returns (uint256 rate, uint48 validUntil) {
        (rate, validUntil, ) = _readTerms();
    }

    function _readTerms() internal view returns (uint256 rate, uint48 validUntil, uint256 ceiling) {
        Terms memory present = terms;
        // A validity of zero would mean "for ever" to the entry point.
        if (present.validUntil == 0) revert PaymasterPriceMissing();
        rate = Math.ceilDiv(present.usdcPerNative * (BPS + present.markupBps), BPS);
        return (rate, present.validUntil, present.operationCeiling);
    }

    function _applyMarkup(uint16 markupBps) private {
        terms.markupBps = markupBps;
        delete announcedMarkupBps;
        delete announcedMarkupReadyAt;
        emit MarkupChanged(markupBps);
    }

    function _setCeiling(uint64 ceiling) private {
        if (ceiling > highestCeiling) revert PaymasterCeilingTooHigh(ceiling);
        terms.operationCeiling = ceiling;
        emit OperationCeilingChanged(ceiling);
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
        uint256 maxAge,
        int256 least,
        int256 most
    ) private view returns (uint256 price, uint256 until) {
        (, int256 answer, , uint256 updatedAt, ) = feed.latestRoundData();
        if (answer < least || answer > most) revert PaymasterAnswerRejected(feed, answer);
        return (uint256(answer), updatedAt + maxAge);
    }
}
