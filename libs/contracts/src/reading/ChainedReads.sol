// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @title Reads of one call, some of which depend on others
/// @notice A read may take the result of an earlier one as its last argument. One call can therefore quote a redeem of
/// a part of a balance and the deposit of its proceeds. Each read has a gas limit, so one that fails or burns all its gas
/// affects no other.
/// @dev Never deployed: the code travels with an eth_call. It has no constructor, no storage, and writes nothing.
contract ChainedReads {
    struct Read {
        address target;
        uint256 gasLimit;
        bytes callData;
        /// Place of the earlier read, counted from 1, whose answer replaces the last word of `callData`; 0 for none.
        uint256 source;
        /// What part of that answer; at most 1.
        uint256 numerator;
        uint256 denominator;
    }

    struct Answer {
        bool success;
        /// What the read returned or reverted with, cut short to `MAX_RETURNED`.
        bytes returned;
    }

    /// @dev Answers may be made long on purpose; memory for them would come out of the gas of this call.
    uint256 private constant MAX_RETURNED = 1024;

    /// @notice Run reads in their order. A read whose source gave no number fails without being asked.
    function read(Read[] calldata reads) external view returns (Answer[] memory answers) {
        answers = new Answer[](reads.length);
        for (uint256 i = 0; i < reads.length; ++i) {
            Read calldata asked = reads[i];
            bytes memory callData = asked.callData;
            if (asked.source != 0) {
                Answer memory source = answers[asked.source - 1];
                if (!source.success || source.returned.length < 32) continue;
                uint256 number = uint256(bytes32(source.returned));
                uint256 argument = Math.mulDiv(number, asked.numerator, asked.denominator);
                assembly ("memory-safe") {
                    mstore(add(callData, mload(callData)), argument)
                }
            }
            answers[i] = _ask(asked.target, asked.gasLimit, callData);
        }
    }

    function _ask(
        address target,
        uint256 gasLimit,
        bytes memory callData
    ) private view returns (Answer memory answer) {
        bool success;
        bytes memory returned;
        assembly ("memory-safe") {
            success := staticcall(gasLimit, target, add(callData, 32), mload(callData), 0, 0)
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
    }
}
