// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Checks} from "../Checks.sol";
import {IRouter, IToken, VM} from "../Vm.sol";

/// @dev A wallet that cannot delegate, and uses the router with every vault and token.
abstract contract Router is Checks {
    address private constant WALLET = address(0x3a11e7);

    function useRouter() internal {
        ++counts[ROUTED];
        ++counts[CALLS];
        uint256 v = random(VAULTS);
        IToken token = tokens[tokenOf(v)];
        bool isDeposit = chance(60);
        uint256 amount = spread(30);
        uint256 minimum = chance(5) ? 0 : 1 + spread(20);
        IToken spent = isDeposit ? token : IToken(address(vaults[v]));
        IToken brought = isDeposit ? IToken(address(vaults[v])) : token;
        give(tokenOf(v), WALLET, 1e12);
        vaults[v].mint(WALLET, 1e10);
        VM.prank(WALLET);
        spent.approve(router, 0);
        VM.prank(WALLET);
        spent.approve(router, amount);
        uint256 before = brought.balanceOf(WALLET);
        uint256 held = spent.balanceOf(WALLET);
        VM.prank(WALLET);
        (bool ok, ) = router.call(
            isDeposit
                ? abi.encodeCall(IRouter.deposit, (address(vaults[v]), address(token), amount, minimum))
                : abi.encodeCall(IRouter.redeem, (address(vaults[v]), address(token), amount, minimum))
        );
        if (ok) require(brought.balanceOf(WALLET) >= before + minimum && minimum != 0, "router: less than the minimum");
        // A hostile vault's shares are its own affair.
        if (isDeposit || !isHostile(v)) require(spent.balanceOf(WALLET) + amount >= held, "router: spent more");
        bool isSound = !isHostile(v) && tokenOf(v) != 1 && minimum == 1 && amount > 1_000;
        require(ok || !isSound, "router: refused");
    }

    function checkRouter() internal view {
        for (uint256 v; v < VAULTS; ++v) {
            IToken token = tokens[tokenOf(v)];
            require(token.balanceOf(router) == 0 && vaults[v].balanceOf(router) == 0, "router holds something");
            require(token.allowance(router, address(vaults[v])) == 0, "router allows something");
        }
    }
}
