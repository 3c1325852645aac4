// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC4626} from "@openzeppelin/contracts/interfaces/IERC4626.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ERC165Checker} from "@openzeppelin/contracts/utils/introspection/ERC165Checker.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SimulatedHolder} from "./SimulatedHolder.sol";

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

/// @title Simulated deposit and redeem
/// @notice Deposits into a vault, redeems every share again and reports how each step went. Or only deposits, and asks.
contract CapabilityProbe is SimulatedHolder {
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
        uint256 assetsOut;
        uint256 approveGas;
        uint256 depositGas;
        uint256 redeemGas;
        bool isPaused;
        bool isDepositAsync;
        bool isRedeemAsync;
    }

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

        uint256 assetsBefore = _balance(asset);
        answer = _call(
            vault,
            abi.encodeCall(IERC4626.redeem, (outcome.sharesOut, address(this), address(this)))
        );
        outcome.redeemGas = answer.gasUsed;
        if (!answer.success) return _fail(outcome, Step.Redeem, answer);
        outcome.assetsOut = Math.saturatingSub(_balance(asset), assetsBefore);
    }

    /// @notice Deposit `assets`, which this account must hold, and ask the vault something in the same frame.
    /// @dev It reverts only when the asset does not let this account spend them.
    /// @param question Call data, such as of `convertToAssets`.
    function deposit(
        address vault,
        address asset,
        uint256 assets,
        bytes calldata question
    ) external returns (Answer memory answer, uint256 sharesOut, uint256 reply) {
        this.approve(asset, vault, assets);
        SafeERC20.safeTransfer(IERC20(asset), address(this), assets);
        answer = _call(vault, abi.encodeCall(IERC4626.deposit, (assets, address(this))));
        return (answer, _balance(vault), _read(vault, question));
    }

    /// @notice Ask a vault something as this account; 0 when it does not reply with one word.
    function ask(address vault, bytes calldata question) external view returns (uint256) {
        return _read(vault, question);
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

    function _flag(address vault) private view returns (bool) {
        return _word(vault, abi.encodeWithSignature("paused()"), FLAG_GAS) == 1;
    }
}
