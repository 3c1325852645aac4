// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Assets and price feeds of the supported chains
/// @notice Read by constructors only. Choosing by `block.chainid` instead of by constructor argument keeps the
/// creation code, and with it the CREATE2 address, the same on every chain.
library ChainAssets {
    error UnsupportedChain(uint256 chainId);

    uint256 private constant ETHEREUM = 1;
    uint256 private constant BASE = 8453;

    /// @return The native USDC of this chain (6 decimals).
    function usdc() internal view returns (address) {
        if (block.chainid == ETHEREUM) return 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48;
        if (block.chainid == BASE) return 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913;
        revert UnsupportedChain(block.chainid);
    }

    /// @return feed The ETH/USD aggregator of this chain (8 decimals).
    /// @return heartbeat Seconds after `updatedAt` during which its answer is accepted. A generous bound on the
    /// feed's published heartbeat, so that one late round does not stop the paymaster.
    function ethUsdFeed() internal view returns (address feed, uint32 heartbeat) {
        if (block.chainid == ETHEREUM) return (0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419, 2 hours);
        if (block.chainid == BASE) return (0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70, 1 hours);
        revert UnsupportedChain(block.chainid);
    }
}
