// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Handler} from "./Handler.sol";
import {VM} from "./Vm.sol";

/// @dev The handler's own checks fail the run; what is read here holds between any two steps.
abstract contract Invariants {
    Handler internal handler;

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    function targetSelectors() external view returns (FuzzSelector[] memory selectors) {
        selectors = new FuzzSelector[](1);
        selectors[0].addr = address(handler);
        selectors[0].selectors = new bytes4[](1);
        selectors[0].selectors[0] = Handler.step.selector;
    }

    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    function invariant_holds() external view {
        handler.check();
    }

    /// One line of counts a run, which the runner adds up.
    function afterInvariant() external {
        string memory line = "[";
        for (uint256 i; i < 18; ++i) line = string.concat(line, VM.toString(handler.counts(i)), ",");
        for (uint256 i; i < 4; ++i) line = string.concat(line, VM.toString(handler.slack(i)), ",");
        line = string.concat(line, VM.toString(handler.profit()));
        VM.writeLine(VM.envString("FUZZ_COUNTS"), string.concat(line, "]"));
    }
}

contract BaseInvariants is Invariants {
    function setUp() external {
        handler = new Handler(true);
    }
}

contract EthereumInvariants is Invariants {
    function setUp() external {
        handler = new Handler(false);
    }
}
