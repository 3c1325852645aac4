// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// @dev OpenZeppelin's vault as it is; a plain transfer to it moves the share price.
contract MockVault is ERC4626 {
    constructor(IERC20 underlying) ERC20("Mock vault", "mV") ERC4626(underlying) {}
}
