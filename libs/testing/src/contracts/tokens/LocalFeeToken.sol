// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title Local token that takes a fee of every transfer
/// @notice The receiver gets less than was sent; the rest is burned. 6 decimals, minted by anyone, local chains only.
contract LocalFeeToken is ERC20 {
    uint256 private constant BASIS_POINTS = 10_000;

    /// @notice What a transfer loses, in basis points; 0 at first.
    uint256 public feeBps;

    event FeeChanged(uint256 feeBps);

    constructor() ERC20("Local Fee Token", "FEE") {}

    /// @inheritdoc ERC20
    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// @notice Set what a transfer loses; open to anyone, local chains only.
    function setFee(uint256 bps) external {
        feeBps = bps;
        emit FeeChanged(bps);
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 fee = from == address(0) || to == address(0) ? 0 : (value * feeBps) / BASIS_POINTS;
        super._update(from, to, value - fee);
        if (fee != 0) super._update(from, address(0), fee);
    }
}
