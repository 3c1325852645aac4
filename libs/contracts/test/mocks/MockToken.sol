// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @dev A token whose oddities can be switched on one by one.
contract MockToken is ERC20 {
    /// Basis points that a transfer loses, as a fee-on-transfer token.
    uint256 public feeBps;
    /// Approving anything but zero over an allowance reverts, as USDT does.
    bool public approveFromZeroOnly;
    /// `approve` answers true and changes nothing.
    bool public ignoresApprove;
    /// An allowance is never spent, as some tokens treat the largest one.
    bool public keepsAllowance;

    constructor() ERC20("Mock", "MOCK") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function setFee(uint256 bps) external {
        feeBps = bps;
    }

    function setApproveFromZeroOnly() external {
        approveFromZeroOnly = true;
    }

    function setIgnoresApprove() external {
        ignoresApprove = true;
    }

    function setKeepsAllowance() external {
        keepsAllowance = true;
    }

    function approve(address spender, uint256 value) public override returns (bool) {
        require(!approveFromZeroOnly || value == 0 || allowance(msg.sender, spender) == 0, "approve from zero only");
        if (ignoresApprove) return true;
        return super.approve(spender, value);
    }

    function _spendAllowance(address owner, address spender, uint256 value) internal override {
        if (keepsAllowance) return;
        super._spendAllowance(owner, spender, value);
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 fee = from == address(0) || to == address(0) ? 0 : (value * feeBps) / 10_000;
        super._update(from, to, value - fee);
        if (fee != 0) super._update(from, address(0), fee);
    }
}
