// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IAccount, IEntryPoint, IPaymaster, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";

interface INonces {
    function incrementNonce(uint192 key) external;
}

/// @title Storage of a contract that is no entity of the operation
contract OtherStorage {
    uint256 private _value;
    mapping(address => uint256) private _held;

    function read() external view returns (uint256) {
        return _value;
    }

    function write() external {
        _value = 1;
    }

    function readOf(address owner) external view returns (uint256) {
        return _held[owner];
    }

    function writeOf(address owner) external {
        _held[owner] = 1;
    }

    /// In the slot whose number is the address.
    function writeAt(address owner) external {
        assembly ("memory-safe") {
            sstore(owner, 1)
        }
    }

    receive() external payable {}
}

/// @title An entity that does in validation what its part of the operation says
/// @dev Each function keeps or breaks a rule of ERC-7562; the specification says which.
abstract contract RuleBreaker {
    IEntryPoint internal immutable _ENTRY_POINT;
    OtherStorage internal immutable _OTHER;
    uint256 internal _own;

    constructor(IEntryPoint entryPoint_, OtherStorage other) {
        _ENTRY_POINT = entryPoint_;
        _OTHER = other;
    }

    receive() external payable {}

    function fund() external payable {
        _ENTRY_POINT.depositTo{value: msg.value}(address(this));
    }

    function stake(uint32 delay) external payable {
        _ENTRY_POINT.addStake{value: msg.value}(delay);
    }

    /// For opcodes that Solidity does not write.
    function calls(address code) external returns (bool done) {
        (done, ) = code.call{gas: 40_000}("");
    }

    function delegatesTo(address code) external returns (bool done) {
        (done, ) = code.delegatecall{gas: 40_000}("");
    }

    function sendsValue(address to) external {
        (bool sent, ) = to.call{value: 1}("");
        require(sent);
    }

    function readsCodeSize(address target) external view returns (uint256) {
        return target.code.length;
    }

    function runsOutOfGas(address) external view {
        try this.loop{gas: 3_000}() {} catch {}
    }

    function runsOutOfGasInStore(address) external {
        try this.writesOwn{gas: 2_300}(address(0)) {} catch {}
    }

    function loop() external pure {
        while (true) {}
    }

    function depositsTo(address to) external {
        _ENTRY_POINT.depositTo{value: 1}(to);
    }

    function asksEntryPoint(address sender) external view returns (uint256) {
        return _ENTRY_POINT.getNonce(sender, 0);
    }

    function incrementsNonce(address) external {
        INonces(address(_ENTRY_POINT)).incrementNonce(0);
    }

    function readsOwn(address) external view returns (uint256) {
        return _own;
    }

    function readsOwnOf(address payable entity) external view returns (uint256) {
        return RuleBreaker(entity).readsOwn(entity);
    }

    function writesOwn(address) external {
        _own = 1;
    }

    function readsOther(address) external view returns (uint256) {
        return _OTHER.read();
    }

    function writesOther(address) external {
        _OTHER.write();
    }

    function readsOf(address owner) external view returns (uint256) {
        return _OTHER.readOf(owner);
    }

    function writesOf(address owner) external {
        _OTHER.writeOf(owner);
    }

    function writesAt(address owner) external {
        _OTHER.writeAt(owner);
    }

    /// @return result What the part returned.
    function _do(bytes calldata part) internal returns (bytes memory result) {
        if (part.length == 0) return "";
        bool done;
        (done, result) = address(this).delegatecall(part);
        require(done);
    }
}

contract BreakingPaymaster is RuleBreaker, IPaymaster {
    constructor(IEntryPoint entryPoint_, OtherStorage other) RuleBreaker(entryPoint_, other) {}

    function validatePaymasterUserOp(
        PackedUserOperation calldata userOp,
        bytes32,
        uint256
    ) external returns (bytes memory, uint256) {
        bytes calldata part = userOp.paymasterAndData[52:];
        bytes memory result = _do(part);
        bool hasContext = bytes4(part) == this.returnsContext.selector || bytes4(part) == this.shrinks.selector;
        return (new bytes(hasContext ? abi.decode(result, (uint256)) : 0), 0);
    }

    /// @return Bytes of the context.
    function returnsContext(address length) external pure returns (uint256) {
        return uint160(length);
    }

    /// @dev Later a shorter context, and less gas.
    function shrinks(address) external returns (uint256) {
        if (_own != 0) return 32;
        _own = 1;
        return 64;
    }

    function postOp(PostOpMode, bytes calldata, uint256, uint256) external {}
}

contract BreakingAccount is RuleBreaker, IAccount {
    constructor(IEntryPoint entryPoint_, OtherStorage other) RuleBreaker(entryPoint_, other) {}

    function validateUserOp(PackedUserOperation calldata userOp, bytes32, uint256) external returns (uint256) {
        _do(userOp.signature);
        return 0;
    }
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
