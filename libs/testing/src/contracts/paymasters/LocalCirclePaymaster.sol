// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Paymaster} from "@openzeppelin/contracts/account/paymaster/Paymaster.sol";
import {ERC4337Utils} from "@openzeppelin/contracts/account/utils/ERC4337Utils.sol";
import {IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IPriceFeed} from "@yield-vault/contracts/src/interfaces/IPriceFeed.sol";

interface IPermit {
    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes memory signature) external;
}

/// @title Stand-in for Circle's paymaster on a local chain
/// @notice Reads, charges, refunds, refuses and reports like the paymaster that Circle deploys for EntryPoint
/// v0.8: validation pulls the whole prefund out of the sender's allowance, `postOp` returns what was not used. A permit
/// in `paymasterData` (`uint8 mode ‖ address token ‖ uint256 amount ‖ bytes signature`) is optional, and one that fails
/// is ignored: the allowance decides. Validity is not bounded in time.
/// @dev Placed with `anvil_setCode` at Circle's own addresses, so it has no constructor. Anyone may change its terms: never deploy it on a chain that holds value.
contract LocalCirclePaymaster is Paymaster {
    using ERC4337Utils for PackedUserOperation;
    using SafeERC20 for IERC20;

    error PostOpGasLimitTooLow(uint256 postOpGasLimit, uint256 additionalGasCharge);
    error MalformedPaymasterData();
    error UnsupportedToken(address token);
    error EnforcedPause();

    event UserOperationSponsored(
        IERC20 indexed token,
        address indexed sender,
        bytes32 userOpHash,
        uint256 nativeTokenPrice,
        uint256 actualTokenNeeded,
        uint256 feeTokenAmount
    );

    IEntryPoint private constant ENTRY_POINT_V08 = IEntryPoint(0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108);

    uint256 private constant BPS = 10_000;
    uint256 private constant MODE_BYTES = 1;
    uint256 private constant PERMIT_HEAD_BYTES = 53;
    uint256 private constant PENALTY_THRESHOLD = 40_000;
    uint256 private constant PENALTY_DIVISOR = 10;

    /// @notice Gas charged on top of what the entry point reports; the smallest `paymasterPostOpGasLimit` accepted.
    uint256 public additionalGasCharge;
    /// @notice Charged on top of the price, in basis points.
    uint256 public feeSpread;
    bool public paused;
    IERC20 public token;
    IPriceFeed private _nativeUsd;

    modifier whenNotPaused() {
        if (paused) revert EnforcedPause();
        _;
    }

    function configure(
        IERC20 token_,
        IPriceFeed nativeUsd,
        uint256 additionalGasCharge_,
        uint256 feeSpread_
    ) external {
        token = token_;
        _nativeUsd = nativeUsd;
        additionalGasCharge = additionalGasCharge_;
        feeSpread = feeSpread_;
    }

    function setPaused(bool paused_) external {
        paused = paused_;
    }

    function addStake(uint32 unstakeDelaySeconds) external payable {
        _addStake(msg.value, unstakeDelaySeconds);
    }

    /// @return Base units of USDC for one ether, without the spread.
    function fetchPrice() public view returns (uint256) {
        (, int256 answer, , , ) = _nativeUsd.latestRoundData();
        return uint256(answer) / 100;
    }

    function entryPoint() public pure override returns (IEntryPoint) {
        return ENTRY_POINT_V08;
    }

    function _validatePaymasterUserOp(
        PackedUserOperation calldata userOp,
        bytes32 userOpHash,
        uint256 maxCost
    ) internal override whenNotPaused returns (bytes memory context, uint256 validationData) {
        uint256 postOpGasLimit = userOp.paymasterPostOpGasLimit();
        if (postOpGasLimit < additionalGasCharge) {
            revert PostOpGasLimitTooLow(postOpGasLimit, additionalGasCharge);
        }
        _tryPermit(userOp.sender, userOp.paymasterData());

        uint256 price = fetchPrice();
        (uint256 base, uint256 fee) = _charge(maxCost + additionalGasCharge * userOp.maxFeePerGas(), price);
        token.safeTransferFrom(userOp.sender, address(this), base + fee);
        return (abi.encode(userOp.sender, base + fee, price, postOpGasLimit, userOpHash), 0);
    }

    function _postOp(
        PostOpMode,
        bytes calldata context,
        uint256 actualGasCost,
        uint256 actualUserOpFeePerGas
    ) internal override whenNotPaused {
        (address sender, uint256 prefund, uint256 price, uint256 postOpGasLimit, bytes32 userOpHash) = abi.decode(
            context,
            (address, uint256, uint256, uint256, bytes32)
        );
        uint256 gasOnTop = additionalGasCharge;
        if (postOpGasLimit > PENALTY_THRESHOLD) gasOnTop += (postOpGasLimit - additionalGasCharge) / PENALTY_DIVISOR;
        (uint256 base, uint256 fee) = _charge(actualGasCost + gasOnTop * actualUserOpFeePerGas, price);
        if (prefund > base + fee) token.safeTransfer(sender, prefund - base - fee);
        emit UserOperationSponsored(token, sender, userOpHash, price, base + fee, fee);
    }

    function _charge(uint256 costWei, uint256 price) private view returns (uint256 base, uint256 fee) {
        base = (costWei * price) / 1 ether + 1;
        fee = (base * feeSpread) / BPS;
    }

    function _tryPermit(address sender, bytes calldata data) private {
        if (data.length <= MODE_BYTES) return;
        if (data.length < PERMIT_HEAD_BYTES) revert MalformedPaymasterData();
        address permitToken = address(bytes20(data[1:21]));
        if (permitToken != address(token)) revert UnsupportedToken(permitToken);
        // Anyone can use a permit from the mempool first. The allowance exists in both cases.
        try
            IPermit(permitToken).permit(
                sender,
                address(this),
                uint256(bytes32(data[21:PERMIT_HEAD_BYTES])),
                type(uint256).max,
                data[PERMIT_HEAD_BYTES:]
            )
        {} catch {}
    }
}
