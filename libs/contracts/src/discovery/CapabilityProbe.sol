// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC4626} from "@openzeppelin/contracts/interfaces/IERC4626.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ERC165Checker} from "@openzeppelin/contracts/utils/introspection/ERC165Checker.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @dev The functions whose selectors make up the ERC-165 id of asynchronous deposits.
interface IAsyncDeposit {
    function requestDeposit(uint256 assets, address controller, address owner) external returns (uint256);
    function pendingDepositRequest(uint256 requestId, address controller) external view returns (uint256);
    function claimableDepositRequest(uint256 requestId, address controller) external view returns (uint256);
}

/// @dev The functions whose selectors make up the ERC-165 id of asynchronous redeems.
interface IAsyncRedeem {
    function requestRedeem(uint256 shares, address controller, address owner) external returns (uint256);
    function pendingRedeemRequest(uint256 requestId, address controller) external view returns (uint256);
    function claimableRedeemRequest(uint256 requestId, address controller) external view returns (uint256);
}

/// @title Simulated holder of a vault's asset
/// @notice Deposits into a vault, redeems every share again and reports how each step went. What came out is measured
/// by balances: nothing that the vault returns is believed.
/// @dev Never deployed. The state override of one eth_call puts its runtime code and a balance at an account that
/// nobody owns, and both are gone with the call. It has no constructor, no immutables and no storage, and no guard at
/// all: whatever a deployed copy held would belong to anyone.
contract CapabilityProbe {
    using SafeERC20 for IERC20;

    enum Step {
        None,
        Approve,
        Deposit,
        /// The deposit went through and gave no shares.
        Shares,
        Redeem
    }

    struct Outcome {
        Step failedStep;
        /// Whether the failed step used up all the gas that it was given.
        bool isOutOfGas;
        /// What the failed step reverted with, cut short to `MAX_RETURNED`.
        bytes revertData;
        uint256 sharesOut;
        /// Assets that `previewRedeem` promised for these shares; 0 when it does not answer.
        uint256 assetsPreviewed;
        uint256 assetsOut;
        uint256 approveGas;
        uint256 depositGas;
        uint256 redeemGas;
        bool isPaused;
        bool isDepositAsync;
        bool isRedeemAsync;
    }

    struct Answer {
        bool success;
        bool isOutOfGas;
        uint256 gasUsed;
        bytes returned;
    }

    /// @dev Answers may be made long on purpose; memory for them would come out of the gas of this call.
    uint256 private constant MAX_RETURNED = 2048;
    uint256 private constant FLAG_GAS = 100_000;

    /// @notice Deposit `assets`, which this account must hold, and redeem what came of it.
    /// @dev It does not revert, whatever vault and asset do.
    function probe(address vault, address asset, uint256 assets) external returns (Outcome memory outcome) {
        outcome.isPaused = _flag(vault);
        outcome.isDepositAsync = ERC165Checker.supportsInterface(vault, type(IAsyncDeposit).interfaceId);
        outcome.isRedeemAsync = ERC165Checker.supportsInterface(vault, type(IAsyncRedeem).interfaceId);

        // Through an external call, so that a failed approval is an answer like every other.
        Answer memory answer = _call(address(this), abi.encodeCall(this.approve, (asset, vault, assets)));
        outcome.approveGas = answer.gasUsed;
        if (!answer.success) return _fail(outcome, Step.Approve, answer);

        uint256 sharesBefore = _balance(vault);
        answer = _call(vault, abi.encodeCall(IERC4626.deposit, (assets, address(this))));
        outcome.depositGas = answer.gasUsed;
        if (!answer.success) return _fail(outcome, Step.Deposit, answer);
        outcome.sharesOut = Math.saturatingSub(_balance(vault), sharesBefore);
        if (outcome.sharesOut == 0) {
            outcome.failedStep = Step.Shares;
            return outcome;
        }

        outcome.assetsPreviewed = _read(vault, abi.encodeCall(IERC4626.previewRedeem, (outcome.sharesOut)));
        uint256 assetsBefore = _balance(asset);
        answer = _call(
            vault,
            abi.encodeCall(IERC4626.redeem, (outcome.sharesOut, address(this), address(this)))
        );
        outcome.redeemGas = answer.gasUsed;
        if (!answer.success) return _fail(outcome, Step.Redeem, answer);
        outcome.assetsOut = Math.saturatingSub(_balance(asset), assetsBefore);
    }

    /// @notice Approve as the executor does: tokens that return nothing, or that want zero first, are fine.
    function approve(address asset, address vault, uint256 assets) external {
        IERC20(asset).forceApprove(vault, assets);
    }

    function _fail(
        Outcome memory outcome,
        Step step,
        Answer memory answer
    ) private pure returns (Outcome memory) {
        outcome.failedStep = step;
        outcome.revertData = answer.returned;
        outcome.isOutOfGas = answer.isOutOfGas;
        return outcome;
    }

    function _balance(address token) private view returns (uint256) {
        return _read(token, abi.encodeCall(IERC20.balanceOf, (address(this))));
    }

    function _flag(address vault) private view returns (bool) {
        return _word(vault, abi.encodeWithSignature("paused()"), FLAG_GAS) == 1;
    }

    /// @dev Half of the gas, so that a costly view leaves enough to go on.
    function _read(address target, bytes memory data) private view returns (uint256) {
        return _word(target, data, gasleft() / 2);
    }

    /// @dev One word, or 0 for any other answer.
    function _word(address target, bytes memory data, uint256 gasLimit) private view returns (uint256 word) {
        assembly ("memory-safe") {
            let success := staticcall(gasLimit, target, add(data, 32), mload(data), 0, 32)
            if and(success, eq(returndatasize(), 32)) {
                word := mload(0)
            }
        }
    }

    function _call(address target, bytes memory data) private returns (Answer memory answer) {
        // A call gets 63/64 of what there is; the rest is enough to report.
        uint256 available = gasleft();
        bool success;
        bytes memory returned;
        assembly ("memory-safe") {
            success := call(gas(), target, 0, add(data, 32), mload(data), 0, 0)
            let size := returndatasize()
            if gt(size, MAX_RETURNED) {
                size := MAX_RETURNED
            }
            returned := mload(0x40)
            mstore(0x40, add(add(returned, 32), and(add(size, 31), not(31))))
            mstore(returned, size)
            returndatacopy(add(returned, 32), 0, size)
        }
        answer.success = success;
        answer.returned = returned;
        answer.gasUsed = available - gasleft();
        // The remaining gas of the call and the gas that it did not receive look the same.
        answer.isOutOfGas = !success && answer.gasUsed > available - available / 32;
    }
}
