// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IPriceFeed} from "../interfaces/IPriceFeed.sol";

/// @notice Where the paymaster of a chain takes its price from, and how long it may be used.
struct PriceSources {
    /// @dev ETH/USD, 8 decimals.
    IPriceFeed ethUsd;
    /// @dev Seconds after its update during which the answer counts. A generous bound on the published heartbeat, so
    /// that one late round does not stop the paymaster.
    uint32 ethUsdHeartbeat;
    /// @dev USDC/USD, 8 decimals.
    IPriceFeed usdcUsd;
    uint32 usdcUsdHeartbeat;
    /// @dev Tells whether the sequencer of an L2 works; zero on a chain without one.
    IPriceFeed sequencer;
    /// @dev Seconds for which a stored price may be used.
    uint32 maxAge;
}

/// @title Assets, price feeds and limits of the supported chains
/// @notice Read by constructors only. Choosing by `block.chainid` instead of by constructor argument keeps the
/// creation code, and with it the CREATE2 address, the same on every chain.
library ChainAssets {
    error UnsupportedChain(uint256 chainId);

    uint256 private constant ETHEREUM = 1;
    uint256 private constant BASE = 8453;

    /// @return The native USDC of this chain (6 decimals).
    function usdc() internal view returns (address) {
        return _isBase() ? 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 : 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48;
    }

    /// @return Largest allowance that the executor grants to the paymaster, in base units of USDC.
    function allowanceCap() internal view returns (uint256) {
        return _isBase() ? 100e6 : 500e6;
    }

    /// @return Largest prefund of one operation at first, in base units of USDC.
    function operationCeiling() internal view returns (uint64) {
        return _isBase() ? 10e6 : 250e6;
    }

    function priceSources() internal view returns (PriceSources memory) {
        return
            _isBase()
                ? PriceSources({
                    ethUsd: IPriceFeed(0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70),
                    ethUsdHeartbeat: 1 hours,
                    usdcUsd: IPriceFeed(0x7e860098F58bBFC8648a4311b374B1D669a2bc6B),
                    usdcUsdHeartbeat: 25 hours,
                    sequencer: IPriceFeed(0xBCF85224fc0756B9Fa45aA7892530B47e10b6433),
                    maxAge: 30 minutes
                })
                : PriceSources({
                    ethUsd: IPriceFeed(0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419),
                    ethUsdHeartbeat: 2 hours,
                    usdcUsd: IPriceFeed(0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6),
                    usdcUsdHeartbeat: 25 hours,
                    sequencer: IPriceFeed(address(0)),
                    maxAge: 1 hours
                });
    }

    function _isBase() private view returns (bool) {
        if (block.chainid == BASE) return true;
        if (block.chainid == ETHEREUM) return false;
        revert UnsupportedChain(block.chainid);
    }
}
