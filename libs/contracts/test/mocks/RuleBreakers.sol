// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IEntryPoint, IPaymaster, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";

/// @title Storage that a validation must not use
contract OtherStorage {
    uint256 public value;
    mapping(address => uint256) public held;

    function write() external {
        value = 1;
    }
}

/// @title A paymaster that breaks one rule of ERC-7562 in validation, named by the first byte of its data
contract RuleBreaker is IPaymaster {
    IEntryPoint private immutable _ENTRY_POINT;
    OtherStorage private immutable _OTHER = new OtherStorage();
    uint256 private _own;

    constructor(IEntryPoint entryPoint_) payable {
        _ENTRY_POINT = entryPoint_;
    }

    function fund() external payable {
        _ENTRY_POINT.depositTo{value: msg.value}(address(this));
    }

    function validatePaymasterUserOp(
        PackedUserOperation calldata userOp,
        bytes32,
        uint256
    ) external returns (bytes memory, uint256 validationData) {
        uint256 rule = uint8(userOp.paymasterAndData[52]);
        uint256 used;
        if (rule == 1) used = block.timestamp;
        if (rule == 2) used = block.number;
        if (rule == 3) used = block.basefee;
        if (rule == 4) used = uint160(tx.origin);
        if (rule == 5) used = gasleft();
        if (rule == 6) used = address(0xdeadbeef00).code.length;
        if (rule == 7) {
            (bool sent, ) = payable(address(_OTHER)).call{value: 1}("");
            used = sent ? 1 : 2;
        }
        if (rule == 8) used = _ENTRY_POINT.getNonce(address(this), 0);
        if (rule == 9) _OTHER.write();
        if (rule == 10) used = address(this).balance;
        if (rule == 11) new OtherStorage();
        if (rule == 12) used = _own;
        if (rule == 13) used = _OTHER.held(userOp.sender);
        // Keeps what was read, so that the optimizer does too.
        if (used == type(uint256).max) validationData = 1;
        return ("", validationData);
    }

    function postOp(PostOpMode, bytes calldata, uint256, uint256) external {}
}

/// @title A feed of the shape that Base has: a proxy in front of an aggregator that reads the clock
contract ClockFeed {
    ClockAggregator public immutable aggregator = new ClockAggregator();

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return aggregator.latestRoundData();
    }
}

contract ClockAggregator {
    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return (1, 2_500e8, block.timestamp, block.timestamp, 1);
    }
}

/// @title A paymaster that asks its feed in validation
contract FeedReader is IPaymaster {
    ClockFeed private immutable _FEED;
    IEntryPoint private immutable _ENTRY_POINT;

    constructor(IEntryPoint entryPoint_, ClockFeed feed) {
        _ENTRY_POINT = entryPoint_;
        _FEED = feed;
    }

    function fund() external payable {
        _ENTRY_POINT.depositTo{value: msg.value}(address(this));
    }

    function validatePaymasterUserOp(
        PackedUserOperation calldata,
        bytes32,
        uint256
    ) external view returns (bytes memory, uint256) {
        (, int256 answer, , , ) = _FEED.latestRoundData();
        return ("", answer > 0 ? 0 : 1);
    }

    function postOp(PostOpMode, bytes calldata, uint256, uint256) external {}
}
