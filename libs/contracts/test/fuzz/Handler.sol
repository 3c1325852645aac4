// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Drain} from "./steps/Drain.sol";
import {Forger} from "./steps/Forger.sol";
import {Greed} from "./steps/Greed.sol";
import {Router} from "./steps/Router.sol";
import {IAccount, VM} from "./Vm.sol";

/// @dev One step of a run: an operation, a bundle, an attack, or a change of the world.
contract Handler is Greed, Drain, Router, Forger {
    constructor(bool isBase_) {
        build(isBase_);
    }

    function step(uint256 seed) external {
        seedWith(seed);
        ++counts[STEPS];
        uint256 what = random(100);
        if (what < 26) _operate();
        else if (what < 44) _inOneTransaction();
        else if (what < 49) _refundToEmpty();
        else if (what < 54) _refundToSame();
        else if (what < 62) tamper();
        else if (what < 65) underpay();
        else if (what < 67) distinguishLeaves();
        else if (what < 71) replay();
        else if (what < 76) intrude();
        else if (what < 78) removeModules(sound(0));
        else if (what < 84) _beGreedy();
        else if (what < 88) useRouter();
        else changeWorld();
    }

    function check() external view {
        checkAttacks();
        checkRouter();
        for (uint256 i; i < ACCOUNTS; ++i) checkAllowances(i);
    }

    /// One to three accounts in one bundle.
    function _operate() private {
        prepare();
        uint256 size = chance(75) ? 1 : 2 + random(2);
        uint256 first = random(3);
        Plan[] memory plans = new Plan[](size);
        bool isSound = true;
        for (uint256 i; i < size; ++i) {
            plans[i] = plan((first + i) % 3);
            sign(plans[i], keys[plans[i].account]);
            isSound = isSound && plans[i].isSound;
        }
        uint256 gas = isSound || chance(80) ? 30e6 : 100_000 + random(2e6);
        bool mustPass = isSound && isPayable(plans);
        bool ok = bundle(plans, 0, gas, 0);
        require(ok || !mustPass, "a sound operation was refused");
        if (ok) {
            for (uint256 i; i < size; ++i) remember(plans[i].op);
        }
    }

    function _inOneTransaction() private {
        prepare();
        this.drain();
    }

    function _beGreedy() private {
        prepare();
        beGreedy();
    }

    /// The sender is given its USDC in the same transaction, exactly the prefund or more, so that the refund may fill an
    /// empty slot.
    function _refundToEmpty() private {
        prepare();
        Plan[] memory plans = one(plan(3));
        plans[0].isSound = false;
        (uint256 rate, ) = paymaster.tokenPerNative();
        uint256 prefund = prefundOf(plans[0], rate);
        sign(plans[0], keys[3]);
        if (prefund == 0 || prefund > 1e12) return;
        if (bundle(plans, chance(50) ? prefund : prefund + plans[0].tokens[0], 30e6, 2)) {
            ++counts[FUNDED];
            remember(plans[0].op);
        }
        uint256 rest = usdc.balanceOf(accounts[3]);
        VM.prank(accounts[3]);
        usdc.transfer(address(bundler), rest);
    }

    /// The operation redeems its prefund, so that the balance is what it was before the transaction.
    function _refundToSame() private {
        prepare();
        uint256 account = random(3);
        Plan[] memory plans = one(sound(account));
        (uint256 rate, ) = paymaster.tokenPerNative();
        uint256 prefund = prefundOf(plans[0], rate);
        uint256 assets = usdc.balanceOf(address(vaults[0]));
        uint256 shares = (prefund * vaults[0].totalSupply() + assets - 1) / assets;
        if (prefund == 0 || shares > vaults[0].balanceOf(accounts[account])) return;
        bytes memory hook = abi.encodePacked(uint8(2), vaults[0], usdc, shares, uint256(1));
        plans[0].op.callData = abi.encodeCall(IAccount.runHooks, (hook));
        (plans[0].vault, plans[0].isDeposit, plans[0].minimum) = (0, false, 1);
        plans[0].approved = type(uint256).max;
        delete plans[0].tokens;
        delete plans[0].shares;
        plans[0].shares[0] = shares;
        sign(plans[0], keys[account]);
        bool mustPass = isPayable(plans);
        bool ok = bundle(plans, 0, 30e6, 1);
        require(ok || !mustPass, "a sound operation was refused");
        if (ok) ++counts[EXACT];
    }
}
