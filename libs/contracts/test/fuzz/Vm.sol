// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @dev The cheat codes of forge that the harness uses.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function addr(uint256 key) external pure returns (address);
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function etch(address target, bytes calldata code) external;
    function store(address target, bytes32 slot, bytes32 value) external;
    function load(address target, bytes32 slot) external view returns (bytes32);
    function warp(uint256 time) external;
    function fee(uint256 baseFee) external;
    function deal(address target, uint256 balance) external;
    function prank(address sender) external;
    function chainId(uint256 id) external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function envString(string calldata name) external view returns (string memory);
    function readFile(string calldata path) external view returns (string memory);
    function writeLine(string calldata path, string calldata line) external;
    function parseJsonBytes(string calldata json, string calldata key) external pure returns (bytes memory);
    function toString(int256 value) external pure returns (string memory);
    function toString(uint256 value) external pure returns (string memory);
}

Vm constant VM = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

struct PackedUserOperation {
    address sender;
    uint256 nonce;
    bytes initCode;
    bytes callData;
    bytes32 accountGasLimits;
    uint256 preVerificationGas;
    bytes32 gasFees;
    bytes paymasterAndData;
    bytes signature;
}

struct UserOpsPerAggregator {
    PackedUserOperation[] userOps;
    address aggregator;
    bytes signature;
}

interface IEntryPoint {
    function handleOps(PackedUserOperation[] calldata ops, address payable beneficiary) external;
    function handleAggregatedOps(UserOpsPerAggregator[] calldata ops, address payable beneficiary) external;
    function getUserOpHash(PackedUserOperation calldata op) external view returns (bytes32);
    function getNonce(address sender, uint192 key) external view returns (uint256);
    function balanceOf(address account) external view returns (uint256);
    function depositTo(address account) external payable;
}

interface IAccount {
    function initializeAccount() external;
    function payForGas(uint256 amount) external;
    function runHooks(bytes calldata entries) external;
    function execute(bytes32 mode, bytes calldata data) external payable;
    function executeFromExecutor(bytes32 mode, bytes calldata data) external payable;
    function installModule(uint256 kind, address module, bytes calldata data) external;
    function uninstallModule(uint256 kind, address module, bytes calldata data) external;
    function validateUserOp(PackedUserOperation calldata op, bytes32 hash, uint256 missing) external returns (uint256);
    function isModuleInstalled(uint256 kind, address module, bytes calldata data) external view returns (bool);
}

/// As `PaymasterTerms.Settings`.
struct Settings {
    address entryPoint;
    address usdc;
    address nativeUsd;
    uint32 nativeUsdMaxAge;
    int256 leastNativeUsd;
    int256 mostNativeUsd;
    address usdcUsd;
    uint32 usdcUsdMaxAge;
    address sequencer;
    uint32 maxAge;
    uint16 markupBps;
    uint64 operationCeiling;
    uint64 highestCeiling;
    address owner;
    address pauser;
}

interface IPaymaster {
    function updatePrice() external;
    function terms() external view returns (uint64 price, uint48 validUntil, uint48 refreshAt, uint16 markup, uint64 ceiling);
    function tokenPerNative() external view returns (uint256 rate, uint48 validUntil);
    function POST_OP_GAS() external view returns (uint256);
    function setMarkup(uint16 bps) external;
    function applyMarkup() external;
    function announcedMarkupBps() external view returns (uint16);
    function announcedMarkupReadyAt() external view returns (uint48);
    function setOperationCeiling(uint64 ceiling) external;
    function withdrawTokens(address token, address to, uint256 amount) external;
}

interface IValidator {
    function leafOf(bytes32 hash, uint48 expiry, uint48 validAfter) external view returns (bytes32);
}

interface IRouter {
    function deposit(address vault, address token, uint256 assets, uint256 minShares) external;
    function redeem(address vault, address token, uint256 shares, uint256 minAssets) external;
}

interface IToken {
    function balanceOf(address owner) external view returns (uint256);
    function allowance(address owner, address spender) external view returns (uint256);
    function approve(address spender, uint256 amount) external;
    function transfer(address to, uint256 amount) external;
    function transferFrom(address from, address to, uint256 amount) external;
}

interface IFeed {
    function setRound(int192 answer, uint64 updatedAt) external;
    function latestRoundData() external view returns (uint80, int256 answer, uint256, uint256 updatedAt, uint80);
}
