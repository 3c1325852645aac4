// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IToken} from "../Vm.sol";

contract Ledger {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply;

    function mint(address to, uint256 amount) public {
        balanceOf[to] += amount;
        totalSupply += amount;
    }

    function approve(address spender, uint256 amount) external virtual returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external virtual returns (bool) {
        allowance[from][msg.sender] -= amount;
        return _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) internal virtual returns (bool) {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

/// @dev Changes an allowance from or to zero only, as USDT does.
contract StubbornToken is Ledger {
    function approve(address spender, uint256 amount) external override returns (bool) {
        require(amount == 0 || allowance[msg.sender][spender] == 0, "approve from zero only");
        allowance[msg.sender][spender] = amount;
        assembly {
            return(0, 0)
        }
    }
}

/// @dev Calls somebody in the middle of what it does, and remembers when that succeeded.
contract Attacker {
    address public target;
    bytes public data;
    bool public breached;

    function setAttack(address target_, bytes calldata data_) external {
        (target, data) = (target_, data_);
    }

    function _attack() internal {
        if (target == address(0)) return;
        (bool success, ) = target.call(data);
        if (success) breached = true;
    }
}

/// @dev Takes a fee on each transfer and calls back while it moves. It may not count what is spent.
contract HostileToken is Ledger, Attacker {
    uint256 public feeBps;

    bool public countsSpent = true;

    function setTemper(uint256 bps, bool countsSpent_) external {
        (feeBps, countsSpent) = (bps, countsSpent_);
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        uint256 left = allowance[from][msg.sender] - amount;
        if (countsSpent) allowance[from][msg.sender] = left;
        return _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) internal override returns (bool) {
        _attack();
        uint256 fee = (amount * feeBps) / 10_000;
        super._move(from, to, amount - fee);
        balanceOf[from] -= fee;
        totalSupply -= fee;
        return true;
    }
}

/// @dev A vault that is honest in mode zero, and in any other mode takes, gives and says what the mode tells it.
contract FuzzVault is Ledger, Attacker {
    IToken public immutable asset;
    uint256 public mode;
    address[] private _victims;
    uint256[64] private _cold;

    constructor(IToken asset_, address[] memory victims) {
        asset = asset_;
        _victims = victims;
    }

    function setMode(uint256 mode_) external {
        mode = mode_;
    }

    /// Shares that somebody paid for.
    function endow(address to, uint256 assets) external {
        mint(to, assets);
    }

    function preview(uint256 assets) public view returns (uint256) {
        return (assets * totalSupply) / asset.balanceOf(address(this));
    }

    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        shares = preview(assets);
        uint256 how = mode;
        _misbehave(how);
        uint256 allowed = asset.allowance(msg.sender, address(this));
        uint256 taken = how % 4 == 0 ? assets : how % 4 == 1 ? assets / 2 : how % 4 == 2 ? allowed : 0;
        asset.transferFrom(msg.sender, address(this), taken);
        if (how >> 16 != 0 && (how >> 16) % 8 == 0) balanceOf[receiver] = 0;
        uint256 given = (how >> 8) % 4;
        mint(receiver, given == 0 ? shares : given == 1 ? 0 : given == 2 ? 1 : shares * 2);
        if (how != 0) return uint256(keccak256(abi.encode(how)));
    }

    function redeem(uint256 shares, address receiver, address owner) external returns (uint256 assets) {
        assets = (shares * asset.balanceOf(address(this))) / totalSupply;
        uint256 how = mode;
        _misbehave(how);
        if (msg.sender != owner) allowance[owner][msg.sender] -= shares;
        balanceOf[owner] -= shares;
        totalSupply -= shares;
        uint256 given = (how >> 8) % 4;
        asset.transfer(receiver, given == 0 ? assets : given == 1 ? 0 : given == 2 ? 1 : assets / 2);
        if (how != 0) return uint256(keccak256(abi.encode(how)));
    }

    /// Take every unit that anybody left allowed.
    function pull() public {
        for (uint256 i; i < _victims.length; ++i) {
            uint256 allowed = asset.allowance(_victims[i], address(this));
            if (allowed != 0 && asset.balanceOf(_victims[i]) >= allowed) {
                asset.transferFrom(_victims[i], address(this), allowed);
            }
        }
    }

    function _misbehave(uint256 how) private {
        if (how == 0) return;
        if ((how >> 24) % 4 == 0) pull();
        if ((how >> 32) % 8 == 0) for (uint256 i; i < _cold.length; ++i) _cold[i]++;
        if ((how >> 40) % 16 == 0) {
            assembly {
                revert(0, 100000)
            }
        }
        _attack();
    }
}

/// @dev Sends operations from a contract: before it gives their sender money, and afterwards makes a call that may fail.
contract ContractBundler {
    struct Call {
        address target;
        bytes data;
    }

    function bundle(
        IToken token,
        address to,
        uint256 amount,
        address entryPoint,
        bytes calldata data,
        Call calldata afterwards
    ) external {
        if (amount != 0) token.transfer(to, amount);
        (bool success, bytes memory result) = entryPoint.call(data);
        if (!success) {
            assembly {
                revert(add(result, 32), mload(result))
            }
        }
        (success, ) = afterwards.target.call(afterwards.data);
    }

    receive() external payable {}
}
