// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {LocalVault} from "./LocalVault.sol";

/// @title Local vault that takes deposits of chosen accounts only
/// @notice `maxDeposit` says nothing of it: a deposit of anyone else reverts `AccessControlUnauthorizedAccount`.
contract LocalWhitelistVault is LocalVault {
    bytes32 public constant DEPOSITOR_ROLE = keccak256("DEPOSITOR_ROLE");

    /// @notice Whether the list is in force; not at first, so that the vault can be filled.
    bool public isClosed;
    mapping(address account => bool allowed) public isAllowed;

    event Closed();
    event Allowed(address account);

    constructor(
        IERC20 underlying,
        string memory name_,
        string memory symbol_,
        uint8 decimalsOffset
    ) LocalVault(underlying, name_, symbol_, decimalsOffset) {}

    /// @notice Put the list in force; open to anyone, local chains only.
    function close() external {
        isClosed = true;
        emit Closed();
    }

    /// @notice Put an account on the list; open to anyone, local chains only.
    function allow(address account) external {
        isAllowed[account] = true;
        emit Allowed(account);
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        if (isClosed && !isAllowed[caller]) {
            revert IAccessControl.AccessControlUnauthorizedAccount(caller, DEPOSITOR_ROLE);
        }
        super._deposit(caller, receiver, assets, shares);
    }
}
