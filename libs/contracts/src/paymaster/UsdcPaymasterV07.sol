// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {ERC4337Utils} from "@openzeppelin/contracts/account/utils/ERC4337Utils.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {UsdcPaymaster} from "./UsdcPaymaster.sol";

/// @title USDC paymaster for EntryPoint v0.7
/// @notice That entry point penalises a tenth of all unused gas of `callGasLimit` and `paymasterPostOpGasLimit`, without
/// a threshold, and only after `postOp`: the paymaster would pay for generous limits. Here the sender does. The prefund
/// holds the whole penalty, the final charge the most it can still be.
///
/// {quote} takes the sum of `callGasLimit` and `paymasterPostOpGasLimit` for its last argument.
contract UsdcPaymasterV07 is UsdcPaymaster {
    using ERC4337Utils for PackedUserOperation;

    uint256 private constant PENALTY_DIVISOR = 10;
    uint256 private constant TAIL_BYTES = 64;

    constructor(IEntryPoint entryPoint_, address owner_) UsdcPaymaster(entryPoint_, owner_) {}

    function _validatePaymasterUserOp(
        PackedUserOperation calldata userOp,
        bytes32 userOpHash,
        uint256 maxCost
    ) internal override returns (bytes memory context, uint256 validationData) {
        uint256 callGasLimit = userOp.callGasLimit();
        uint256 penaltyCost = _penaltyOf(callGasLimit) * userOp.maxFeePerGas();
        (context, validationData) = super._validatePaymasterUserOp(userOp, userOpHash, maxCost + penaltyCost);
        if (context.length == 0) return (context, validationData);
        // What was used before execution is not known here, but this is the most that it can be.
        uint256 mostBeforeExecution = userOp.preVerificationGas +
            userOp.verificationGasLimit() +
            userOp.paymasterVerificationGasLimit();
        context = bytes.concat(context, abi.encode(callGasLimit, mostBeforeExecution));
    }

    function _postOp(
        PostOpMode mode,
        bytes calldata context,
        uint256 actualGasCost,
        uint256 actualUserOpFeePerGas
    ) internal override {
        (uint256 callGasLimit, uint256 mostBeforeExecution) = abi.decode(
            context[context.length - TAIL_BYTES:],
            (uint256, uint256)
        );
        (, uint256 gasSoFar) = Math.tryDiv(actualGasCost, actualUserOpFeePerGas);
        uint256 leastUsed = Math.saturatingSub(gasSoFar, mostBeforeExecution);
        uint256 penaltyCost = _penaltyOf(Math.saturatingSub(callGasLimit, leastUsed)) * actualUserOpFeePerGas;
        super._postOp(mode, context, actualGasCost + penaltyCost, actualUserOpFeePerGas);
    }

    /// @dev Of the post-op limit too: none of it may be left over for the paymaster to pay.
    function _postOpGasPenalty(uint256 postOpGasLimit) internal pure override returns (uint256) {
        return _penaltyOf(postOpGasLimit);
    }

    function _penaltyOf(uint256 unusedGas) private pure returns (uint256) {
        return unusedGas / PENALTY_DIVISOR;
    }
}
