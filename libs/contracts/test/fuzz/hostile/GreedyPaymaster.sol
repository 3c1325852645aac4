// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IAccount, PackedUserOperation} from "../Vm.sol";

/// @dev Accepts every operation, and asks accounts for money whenever it can.
contract GreedyPaymaster {
    struct Ask {
        address account;
        uint256 amount;
        /// Only while validating, or only after the operation.
        bool isLate;
    }

    Ask[] private _asks;
    /// Where others ask.
    GreedyPaymaster private immutable _ACCOMPLICE;
    mapping(address => uint256) public payments;

    constructor(GreedyPaymaster accomplice) {
        _ACCOMPLICE = accomplice;
    }

    function setAsks(Ask[] calldata asks) external {
        delete _asks;
        for (uint256 i; i < asks.length; ++i) _asks.push(asks[i]);
    }

    function validatePaymasterUserOp(
        PackedUserOperation calldata,
        bytes32,
        uint256
    ) external returns (bytes memory, uint256) {
        _askAll(false);
        return ("1", 0);
    }

    function postOp(uint8, bytes calldata, uint256, uint256) external {
        _askAll(true);
    }

    function ask(address account, uint256 amount) public {
        try IAccount(account).payForGas(amount) {
            ++payments[account];
        } catch {}
    }

    function _askAll(bool isLate) private {
        for (uint256 i; i < _asks.length; ++i) {
            if (_asks[i].isLate != isLate) continue;
            if (address(_ACCOMPLICE) != address(0)) _ACCOMPLICE.ask(_asks[i].account, _asks[i].amount);
            ask(_asks[i].account, _asks[i].amount);
        }
    }
}
