// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

// Lending protocols as their authors publish them. Only this glue is ours: it is oracle, administrator and borrower.
import {ERC20, ERC4626, IERC20} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {
    IPool,
    StataTokenV2
} from "@aave-dao/aave-v3-origin/src/contracts/extensions/stata-token/StataTokenV2.sol";
import {
    IPoolConfigurator,
    ConfiguratorInputTypes
} from "@aave-dao/aave-v3-origin/src/contracts/interfaces/IPoolConfigurator.sol";
import {
    IDefaultInterestRateStrategyV2 as Rates
} from "@aave-dao/aave-v3-origin/src/contracts/interfaces/IDefaultInterestRateStrategyV2.sol";
import {ATokenInstance} from "@aave-dao/aave-v3-origin/src/contracts/instances/ATokenInstance.sol";
import {
    PoolConfiguratorInstance
} from "@aave-dao/aave-v3-origin/src/contracts/instances/PoolConfiguratorInstance.sol";
import {PoolInstance} from "@aave-dao/aave-v3-origin/src/contracts/instances/PoolInstance.sol";
import {
    VariableDebtTokenInstance
} from "@aave-dao/aave-v3-origin/src/contracts/instances/VariableDebtTokenInstance.sol";
import {
    DefaultReserveInterestRateStrategyV2
} from "@aave-dao/aave-v3-origin/src/contracts/misc/DefaultReserveInterestRateStrategyV2.sol";
import {ACLManager} from "@aave-dao/aave-v3-origin/src/contracts/protocol/configuration/ACLManager.sol";
import {
    PoolAddressesProvider
} from "@aave-dao/aave-v3-origin/src/contracts/protocol/configuration/PoolAddressesProvider.sol";
import {IRewardsController} from "@aave-dao/aave-v3-origin/src/contracts/rewards/interfaces/IRewardsController.sol";
import {IIrm} from "@morpho-org/morpho-blue/src/interfaces/IIrm.sol";
import {IMorpho, Market, MarketParams} from "@morpho-org/morpho-blue/src/interfaces/IMorpho.sol";
import {MarketParamsLib} from "@morpho-org/morpho-blue/src/libraries/MarketParamsLib.sol";
import {MorphoBalancesLib} from "@morpho-org/morpho-blue/src/libraries/periphery/MorphoBalancesLib.sol";

/// @notice Who lends out the assets of a vault.
abstract contract Borrower {
    IERC20 internal immutable _USDC;
    address internal immutable _WETH;
    ERC4626 public vault;

    constructor(address usdc, address weth) {
        _USDC = IERC20(usdc);
        _WETH = weth;
    }

    /// @notice Create the vault and pledge one WETH.
    function open() external virtual;

    /// @notice Borrow all that the vault could pay out, `idle` excepted.
    function leave(uint256 idle) external {
        if (_liquid() > idle) _borrow(_liquid() - idle);
    }

    function repay(uint256 assets) external virtual;

    /// @notice What suppliers earn a year by the protocol's own model, 18 decimals.
    function rate() external view virtual returns (uint256);

    function _liquid() internal view virtual returns (uint256);
    function _borrow(uint256 assets) internal virtual;
}

contract AaveMarket is Borrower {
    IPool private immutable _POOL;

    constructor(address usdc, address weth) Borrower(usdc, weth) {
        PoolAddressesProvider provider = new PoolAddressesProvider("local", address(this));
        provider.setACLAdmin(address(this));
        ACLManager roles = new ACLManager(provider);
        provider.setACLManager(address(roles));
        roles.addPoolAdmin(address(this));
        provider.setPriceOracle(address(this));
        provider.setPoolImpl(
            address(new PoolInstance(provider, new DefaultReserveInterestRateStrategyV2(address(provider))))
        );
        provider.setPoolConfiguratorImpl(address(new PoolConfiguratorInstance()));
        IPool pool = IPool(provider.getPool());
        IPoolConfigurator configurator = IPoolConfigurator(provider.getPoolConfigurator());

        ConfiguratorInputTypes.InitReserveInput[] memory reserves = new ConfiguratorInputTypes.InitReserveInput[](2);
        address aToken = address(new ATokenInstance(pool, address(0), address(this)));
        address debtToken = address(new VariableDebtTokenInstance(pool, address(0)));
        // The curve of USDC on Aave's main markets: 5.5 % at 92 %.
        bytes memory curve = abi.encode(Rates.InterestRateData(92_00, 0, 5_50, 35_00));
        for (uint256 i = 0; i < 2; i++)
            reserves[i] = ConfiguratorInputTypes.InitReserveInput(
                aToken, debtToken, i == 0 ? usdc : weth, "a", "a", "d", "d", "", curve
            );
        configurator.initReserves(reserves);
        configurator.setReserveBorrowing(usdc, true);
        configurator.setReserveFactor(usdc, 10_00);
        configurator.configureReserveAsCollateral(weth, 80_00, 85_00, 105_00);
        _POOL = pool;
        _USDC.approve(address(pool), type(uint256).max);
        IERC20(weth).approve(address(pool), type(uint256).max);
    }

    /// @dev One WETH is worth a billion USD.
    function getAssetPrice(address asset) external view returns (uint256) {
        return asset == _WETH ? 1e17 : 1e8;
    }

    /// @dev The pool pays no rewards.
    function getRewardsByAsset(address) external pure returns (address[] memory rewards) {}

    function open() external override {
        StataTokenV2 implementation = new StataTokenV2(_POOL, IRewardsController(address(this)));
        bytes memory start = abi.encodeCall(
            StataTokenV2.initialize, (_POOL.getReserveAToken(address(_USDC)), "Static Aave USDC", "stataUSDC")
        );
        vault = ERC4626(address(new ERC1967Proxy(address(implementation), start)));
        _POOL.supply(_WETH, 1e18, address(this), 0);
    }

    function repay(uint256 assets) external override {
        _POOL.repay(address(_USDC), assets, 2, address(this));
    }

    function rate() external view override returns (uint256) {
        return _POOL.getReserveData(address(_USDC)).currentLiquidityRate / 1e9;
    }

    function _liquid() internal view override returns (uint256) {
        return _USDC.balanceOf(_POOL.getReserveAToken(address(_USDC)));
    }

    function _borrow(uint256 assets) internal override {
        _POOL.borrow(address(_USDC), assets, 2, 0, address(this));
    }
}

/// @notice Supplies a half to each of two markets and takes from one after the other.
contract MorphoVault is ERC4626 {
    using MorphoBalancesLib for IMorpho;

    IMorpho private immutable _MORPHO;
    MarketParams[] private _queue;

    constructor(
        IMorpho morpho, MarketParams[] memory queue
    ) ERC20("Morpho USDC", "mUSDC") ERC4626(IERC20(queue[0].loanToken)) {
        _MORPHO = morpho;
        for (uint256 i = 0; i < queue.length; i++) _queue.push(queue[i]);
        IERC20(queue[0].loanToken).approve(address(morpho), type(uint256).max);
    }

    function totalAssets() public view override returns (uint256 assets) {
        for (uint256 i = 0; i < _queue.length; i++)
            assets += _MORPHO.expectedSupplyAssets(_queue[i], address(this));
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        super._deposit(caller, receiver, assets, shares);
        _MORPHO.supply(_queue[0], assets / 2, 0, address(this), "");
        _MORPHO.supply(_queue[1], assets - assets / 2, 0, address(this), "");
    }

    function _withdraw(
        address caller, address receiver, address owner, uint256 assets, uint256 shares
    ) internal override {
        uint256 left = assets;
        for (uint256 i = 0; i < _queue.length && left > 0; i++) {
            _MORPHO.accrueInterest(_queue[i]);
            (uint256 supplied, , uint256 borrowed, ) = _MORPHO.expectedMarketBalances(_queue[i]);
            uint256 mine = _MORPHO.expectedSupplyAssets(_queue[i], address(this));
            uint256 some = left < mine ? left : mine;
            if (some > supplied - borrowed) some = supplied - borrowed;
            if (some > 0) _MORPHO.withdraw(_queue[i], some, 0, address(this), address(this));
            left -= some;
        }
        require(left == 0, "not enough liquidity");
        super._withdraw(caller, receiver, owner, assets, shares);
    }
}

contract MorphoMarket is Borrower {
    using MarketParamsLib for MarketParams;
    using MorphoBalancesLib for IMorpho;

    IMorpho private immutable _MORPHO;
    MarketParams[] private _markets;

    /// @param morpho its creation code
    /// @param irm the creation code of its model of rates
    constructor(address usdc, address weth, bytes memory morpho, bytes memory irm) Borrower(usdc, weth) {
        _MORPHO = IMorpho(_create(bytes.concat(morpho, abi.encode(address(this)))));
        address model = _create(bytes.concat(irm, abi.encode(_MORPHO)));
        _MORPHO.enableIrm(model);
        for (uint256 i = 0; i < 2; i++) {
            uint256 lltv = i == 0 ? 0.86e18 : 0.915e18;
            _MORPHO.enableLltv(lltv);
            _markets.push(MarketParams(usdc, weth, address(this), model, lltv));
            _MORPHO.createMarket(_markets[i]);
        }
        _USDC.approve(address(_MORPHO), type(uint256).max);
        IERC20(weth).approve(address(_MORPHO), type(uint256).max);
    }

    /// @dev One WETH is worth a billion USD: 10^(36 + 6 - 18 + 9).
    function price() external pure returns (uint256) {
        return 1e33;
    }

    function open() external override {
        vault = new MorphoVault(_MORPHO, _markets);
        for (uint256 i = 0; i < 2; i++) _MORPHO.supplyCollateral(_markets[i], 0.5e18, address(this), "");
    }

    function repay(uint256 assets) external override {
        for (uint256 i = 0; i < 2; i++) _MORPHO.repay(_markets[i], assets / 2, 0, address(this), "");
    }

    function rate() external view override returns (uint256) {
        uint256 interest;
        for (uint256 i = 0; i < 2; i++) {
            Market memory market = _MORPHO.market(_markets[i].id());
            interest += market.totalBorrowAssets * IIrm(_markets[i].irm).borrowRateView(_markets[i], market);
        }
        return (interest * 365 days) / vault.totalAssets();
    }

    function _liquid() internal view override returns (uint256) {
        return _USDC.balanceOf(address(_MORPHO));
    }

    /// @dev From the first market as much as it has.
    function _borrow(uint256 assets) internal override {
        for (uint256 i = 0; i < 2; i++) {
            (uint256 supplied, , uint256 borrowed, ) = _MORPHO.expectedMarketBalances(_markets[i]);
            uint256 some = supplied - borrowed < assets ? supplied - borrowed : assets;
            if (some > 0) _MORPHO.borrow(_markets[i], some, 0, address(this), address(this));
            assets -= some;
        }
    }

    function _create(bytes memory code) private returns (address created) {
        assembly ("memory-safe") {
            created := create(0, add(code, 32), mload(code))
        }
        require(created != address(0));
    }
}
