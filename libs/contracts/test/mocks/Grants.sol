// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IPaymaster, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {TransientSlot} from "@openzeppelin/contracts/utils/TransientSlot.sol";
import {IGasPayer} from "../../src/interfaces/IGasPayer.sol";

/// @dev Asks accounts for what a test says, and tells what they answered.
contract AskingPaymaster is IPaymaster {
    struct Ask {
        IGasPayer account;
        uint256 amount;
    }

    Ask[] private _inValidation;
    Ask[] private _inPostOp;
    bool private _insists;

    /// `reason` is empty when the account paid.
    event Asked(uint256 amount, bytes reason);

    function plan(Ask[] calldata inValidation, Ask[] calldata inPostOp) external {
        (_inValidation, _inPostOp) = (inValidation, inPostOp);
    }

    /// Revert with the reason of an account that does not pay.
    function insist(bool insists) external {
        _insists = insists;
    }

    function validatePaymasterUserOp(
        PackedUserOperation calldata,
        bytes32,
        uint256
    ) external returns (bytes memory, uint256) {
        _ask(_inValidation);
        return (hex"01", 0);
    }

    function postOp(PostOpMode, bytes calldata, uint256, uint256) external {
        _ask(_inPostOp);
    }

    /// For anybody.
    function ask(IGasPayer account, uint256 amount) public {
        try account.payForGas(amount) {
            emit Asked(amount, "");
        } catch (bytes memory reason) {
            if (_insists) LowLevelCall.bubbleRevert();
            emit Asked(amount, reason);
        }
    }

    function _ask(Ask[] storage asks) private {
        for (uint256 i; i < asks.length; ++i) ask(asks[i].account, asks[i].amount);
    }
}

/// @dev Lets the receiver of a transfer ask its sender again.
contract AskingToken is ERC20("Asking", "ASK") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        AskingPaymaster(to).ask(IGasPayer(msg.sender), 1);
        return super.transfer(to, amount);
    }
}

/// @dev Code for a delegate call: writes a grant where the account looks for one, then calls on.
contract GrantForger {
    using TransientSlot for *;

    function forge(bytes32 slot, uint256 grant, address target, bytes calldata data) external {
        slot.asUint256().tstore(grant);
        if (!LowLevelCall.callNoReturn(target, data)) LowLevelCall.bubbleRevert();
    }
}
