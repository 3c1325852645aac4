// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @dev Lies about what it did. What it claims and what it does are set apart.
contract HostileVault is ERC20 {
    using SafeERC20 for IERC20;

    IERC20 public immutable asset;
    uint256 public claimed;
    uint256 public given;
    uint256 public takenPercent = 100;
    bool public burnsHolder;
    bytes public attack;
    address public target;

    error Bubbled(string text, uint256 number);

    constructor(IERC20 asset_) ERC20("Hostile", "HOST") {
        asset = asset_;
    }

    /// `claimed_` is returned, `given_` shares (deposit) or assets (redeem) really move.
    function behave(uint256 claimed_, uint256 given_, uint256 takenPercent_) external {
        (claimed, given, takenPercent) = (claimed_, given_, takenPercent_);
    }

    function burnHolder() external {
        burnsHolder = true;
    }

    /// Call `target_` with `data` in the middle of a deposit or redeem.
    function callBack(address target_, bytes calldata data) external {
        (target, attack) = (target_, data);
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function deposit(uint256 assets, address receiver) external returns (uint256) {
        _attack();
        asset.safeTransferFrom(msg.sender, address(this), (assets * takenPercent) / 100);
        if (burnsHolder) _burn(receiver, balanceOf(receiver));
        if (given != 0) _mint(receiver, given);
        return claimed;
    }

    function redeem(uint256 shares, address receiver, address owner) external returns (uint256) {
        _attack();
        if (shares == 666) revert Bubbled("no", 666);
        _burn(owner, shares);
        if (given != 0) asset.safeTransfer(receiver, given);
        return claimed;
    }

    function _attack() private {
        if (target == address(0)) return;
        (bool success, bytes memory result) = target.call(attack);
        if (!success) {
            assembly ("memory-safe") {
                revert(add(result, 32), mload(result))
            }
        }
    }
}
