// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @dev Stands in for USDC, with its slot of balances. A transfer of `burner` takes all the gas it gets, and fails below
/// `least` of it.
contract BurningUsdc {
    uint256[9] private _unused;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    address private _burner;
    uint256 private _least;

    function burn(address burner, uint256 least) external {
        (_burner, _least) = (burner, least);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) public returns (bool) {
        bool fails = gasleft() < _least;
        _move(msg.sender, to, value);
        if (msg.sender == _burner) {
            while (gasleft() > 150) {}
            require(!fails);
        }
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) private {
        balanceOf[from] -= value;
        balanceOf[to] += value;
    }
}
