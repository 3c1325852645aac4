// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

// Vaults of libraries that much of the field builds on, as their authors publish them. Only this glue is ours.
import {ERC20 as OzErc20, ERC4626 as OzVault} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {ERC4626 as SoladyVault} from "solady/src/tokens/ERC4626.sol";
import {ERC20 as SolmateErc20} from "solmate/src/tokens/ERC20.sol";
import {ERC4626 as SolmateVault} from "solmate/src/tokens/ERC4626.sol";
import {
    IPool,
    StataTokenV2
} from "@aave-dao/aave-v3-origin/src/contracts/extensions/stata-token/StataTokenV2.sol";
import {IRewardsController} from "@aave-dao/aave-v3-origin/src/contracts/rewards/interfaces/IRewardsController.sol";
import {DataTypes} from "@aave-dao/aave-v3-origin/src/contracts/protocol/libraries/types/DataTypes.sol";

contract OpenZeppelinUsdcVault is OzVault {
    constructor(IERC20 asset_) OzErc20("OpenZeppelin USDC", "ozUSDC") OzVault(asset_) {}
}

contract SoladyUsdcVault is SoladyVault {
    address private immutable _ASSET;

    constructor(address asset_) {
        _ASSET = asset_;
    }

    function asset() public view override returns (address) {
        return _ASSET;
    }

    function name() public pure override returns (string memory) {
        return "Solady USDC";
    }

    function symbol() public pure override returns (string memory) {
        return "syUSDC";
    }

    function _underlyingDecimals() internal pure override returns (uint8) {
        return 6;
    }
}

contract SolmateUsdcVault is SolmateVault {
    constructor(SolmateErc20 asset_) SolmateVault(asset_, "Solmate USDC", "smUSDC") {}

    function totalAssets() public view override returns (uint256) {
        return asset.balanceOf(address(this));
    }
}

/// @notice As much of Aave's pool as its static token asks: one reserve, whose index is fixed, with its
/// aToken and its rewards in one contract.
contract ReservePool {
    uint256 private constant ACTIVE = 1 << 56;
    uint256 private constant DECIMALS = 6 << 48;

    address public immutable UNDERLYING_ASSET_ADDRESS;
    address public immutable POOL = address(this);
    address public immutable ADDRESSES_PROVIDER = address(this);
    uint256 public immutable index;
    mapping(address owner => uint256) private _scaled;
    uint256 public scaledTotalSupply;

    constructor(address asset_, uint256 index_) {
        UNDERLYING_ASSET_ADDRESS = asset_;
        index = index_;
    }

    function deposit(address asset_, uint256 amount, address onBehalfOf, uint16) external {
        IERC20(asset_).transferFrom(msg.sender, address(this), amount);
        _scaled[onBehalfOf] += (amount * 1e27) / index;
        scaledTotalSupply += (amount * 1e27) / index;
    }

    function withdraw(address asset_, uint256 amount, address to) external returns (uint256) {
        uint256 scaled = (amount * 1e27) / index;
        _scaled[msg.sender] -= scaled;
        scaledTotalSupply -= scaled;
        IERC20(asset_).transfer(to, amount);
        return amount;
    }

    function balanceOf(address owner) external view returns (uint256) {
        return (_scaled[owner] * index) / 1e27;
    }

    /// @dev The pool pays no rewards.
    function getRewardsByAsset(address) external pure returns (address[] memory rewards) {}

    function getReserveNormalizedIncome(address) external view returns (uint256) {
        return index;
    }

    function getVirtualUnderlyingBalance(address asset_) external view returns (uint128) {
        return uint128(IERC20(asset_).balanceOf(address(this)));
    }

    function getConfiguration(address) public pure returns (DataTypes.ReserveConfigurationMap memory) {
        return DataTypes.ReserveConfigurationMap(ACTIVE | DECIMALS);
    }

    function getReserveData(address) external view returns (DataTypes.ReserveDataLegacy memory data) {
        data.configuration = getConfiguration(address(0));
        data.aTokenAddress = address(this);
    }
}

/// @notice Aave's static token behind a proxy, as it is deployed.
contract StataUsdcVault is ERC1967Proxy {
    constructor(
        address pool
    )
        ERC1967Proxy(
            address(new StataTokenV2(IPool(pool), IRewardsController(pool))),
            abi.encodeCall(StataTokenV2.initialize, (pool, "Static Aave USDC", "stataUSDC"))
        )
    {}
}
