// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {GreedyPaymaster} from "../hostile/GreedyPaymaster.sol";
import {ContractBundler} from "../hostile/Hostile.sol";
import {Intruder} from "./Intruder.sol";

/// @dev Operations that name a dishonest paymaster: it takes at most what they grant, once for each, within the transaction.
abstract contract Greed is Intruder {
    GreedyPaymaster private _accomplice;
    GreedyPaymaster private _greedy;

    function beGreedy() internal {
        ++counts[GREEDY];
        if (address(_greedy) == address(0)) {
            _accomplice = new GreedyPaymaster(GreedyPaymaster(address(0)));
            _greedy = new GreedyPaymaster(_accomplice);
            entryPoint.depositTo{value: 1e27}(address(_greedy));
        }
        uint256[ACCOUNTS] memory paid;
        for (uint256 i; i < ACCOUNTS; ++i) {
            // Nothing is left of the transactions before.
            _greedy.ask(accounts[i], chance(50) ? 0 : 1);
            paid[i] = _greedy.payments(accounts[i]);
        }
        checkGreed(paid, new uint256[](ACCOUNTS));

        Plan[] memory plans = new Plan[](1 + random(2));
        uint256[] memory grants = new uint256[](ACCOUNTS);
        uint256 first = random(3);
        for (uint256 i; i < plans.length; ++i) {
            uint256 account = chance(50) ? first : (first + i) % 3;
            plans[i] = plan(account);
            if (i == 1 && account == first) _useKey(plans[1], (plans[0].key + 1) % 3);
            if (i == 0 || chance(70)) {
                _name(plans[i]);
                ++grants[account];
            }
            // What one operation of two brought cannot be told.
            (plans[i].isSound, plans[i].vault) = (false, 99);
            sign(plans[i], keys[account]);
        }
        _greedy.setAsks(_asks(plans));
        uint256 rest = plans[0].maximum;
        bytes memory again = abi.encodeCall(GreedyPaymaster.ask, (accounts[first], chance(50) ? rest : spread(20)));
        bundle(plans, 0, 30e6, 0, ContractBundler.Call(address(chance(80) ? _greedy : _accomplice), again));
        checkGreed(paid, grants);
    }

    function checkGreed(uint256[ACCOUNTS] memory paid, uint256[] memory grants) private view {
        for (uint256 i; i < ACCOUNTS; ++i) {
            require(_greedy.payments(accounts[i]) <= paid[i] + grants[i], "paid more often than granted");
            require(_accomplice.payments(accounts[i]) == 0, "paid who is not its paymaster");
        }
    }

    function _useKey(Plan memory p, uint256 key) private view {
        p.key = key;
        p.op.nonce = entryPoint.getNonce(p.op.sender, nonceKey(key));
    }

    function _name(Plan memory p) private {
        p.isGreedy = true;
        p.payToken = chance(60) ? 0 : random(3);
        p.maximum = spread(40);
        p.op.paymasterAndData = abi.encodePacked(
            _greedy,
            uint128(2_000_000),
            uint128(2_000_000),
            grant(address(tokens[p.payToken]), p.maximum)
        );
    }

    /// The maximum, a part of it, more than it, of senders and of others.
    function _asks(Plan[] memory plans) private returns (GreedyPaymaster.Ask[] memory asks) {
        asks = new GreedyPaymaster.Ask[](random(7));
        for (uint256 i; i < asks.length; ++i) {
            Plan memory p = plans[random(plans.length)];
            uint256 most = p.maximum;
            uint256[4] memory amounts = [most, most + 1, random(most + 1), 0];
            address account = chance(80) ? p.op.sender : accounts[random(ACCOUNTS)];
            asks[i] = GreedyPaymaster.Ask(account, amounts[random(4)], chance(40));
        }
    }
}
