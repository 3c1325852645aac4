// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ContractBundler, FuzzVault, HostileToken, Ledger, StubbornToken} from "./hostile/Hostile.sol";
import {IEntryPoint, IFeed, IPaymaster, IToken, IValidator, Settings, VM} from "./Vm.sol";

/// @dev Our contracts and the entry point from the generated creation code, local USDC behind its proxy, feeds, accounts,
/// and vaults and tokens of every temper.
abstract contract World {
    address internal constant USDC_CODE = 0x2Ce6311ddAE708829bc0784C967b7d77D19FD779;
    bytes32 internal constant USDC_CODE_SLOT = keccak256("org.zeppelinos.proxy.implementation");
    uint256 internal constant ACCOUNTS = 4;
    /// The last vault of each token misbehaves.
    uint256 internal constant VAULTS = 6;

    bool internal isBase;
    IEntryPoint internal entryPoint;
    address internal validator;
    IValidator internal otherValidator;
    address internal executor;
    address internal implementation;
    address internal router;
    IPaymaster internal paymaster;
    IToken internal usdc;
    IFeed internal ethUsd;
    IFeed internal usdcUsd;
    IFeed internal sequencer;
    ContractBundler internal bundler;
    FuzzVault[] internal vaults;
    IToken[] internal tokens;
    /// The last one starts every operation without USDC.
    address[] internal accounts;
    uint256[] internal keys;

    uint256 private _seed;

    function random(uint256 below) internal returns (uint256) {
        _seed = uint256(keccak256(abi.encode(_seed)));
        return _seed % below;
    }

    function chance(uint256 percent) internal returns (bool) {
        return random(100) < percent;
    }

    /// Spread over orders of magnitude.
    function spread(uint256 bits) internal returns (uint256) {
        return random(1 << random(bits + 1));
    }

    function seedWith(uint256 seed) internal {
        _seed = seed;
    }

    function build(bool isBase_) internal {
        isBase = isBase_;
        VM.chainId(isBase_ ? 8453 : 1);
        VM.warp(1_800_000_000);
        string memory json = VM.readFile(VM.envString("FUZZ_BYTECODE"));
        entryPoint = IEntryPoint(_create(VM.parseJsonBytes(json, ".EntryPointV08")));
        usdc = IToken(
            isBase_ ? 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 : 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48
        );
        VM.etch(address(usdc), VM.parseJsonBytes(json, ".LocalUsdcProxy"));
        VM.etch(USDC_CODE, VM.parseJsonBytes(json, ".LocalUsdc"));
        VM.store(address(usdc), USDC_CODE_SLOT, bytes32(uint256(uint160(USDC_CODE))));
        VM.store(address(usdc), keccak256("org.zeppelinos.proxy.admin"), bytes32(uint256(uint160(USDC_CODE))));
        bytes memory feed = VM.parseJsonBytes(json, ".LocalPriceFeed");
        ethUsd = _feed(
            isBase_ ? 0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70 : 0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419,
            feed
        );
        usdcUsd = _feed(
            isBase_ ? 0x7e860098F58bBFC8648a4311b374B1D669a2bc6B : 0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6,
            feed
        );
        sequencer = _feed(0xBCF85224fc0756B9Fa45aA7892530B47e10b6433, feed);
        resetFeeds();

        validator = _create(VM.parseJsonBytes(json, ".IntentValidator"));
        otherValidator = IValidator(_create(VM.parseJsonBytes(json, ".IntentValidator")));
        executor = _create(VM.parseJsonBytes(json, ".YieldExecutor"));
        router = _create(VM.parseJsonBytes(json, ".YieldRouter"));
        implementation = _create(
            bytes.concat(VM.parseJsonBytes(json, ".YieldVaultAccount"), abi.encode(entryPoint, validator, executor))
        );
        paymaster = IPaymaster(
            _create(bytes.concat(VM.parseJsonBytes(json, ".UsdcPaymaster"), abi.encode(implementation, _settings())))
        );
        VM.deal(address(this), 1e30);
        entryPoint.depositTo{value: 1e28}(address(paymaster));
        paymaster.updatePrice();
        _populate();
    }

    function resetFeeds() internal {
        ethUsd.setRound(2_500e8, uint64(block.timestamp));
        usdcUsd.setRound(1e8, uint64(block.timestamp));
        sequencer.setRound(0, 1);
    }

    function isHostile(uint256 vault) internal pure returns (bool) {
        return vault % 2 == 1;
    }

    function tokenOf(uint256 vault) internal pure returns (uint256) {
        return vault / 2;
    }

    function setUsdc(address owner, uint256 amount) internal {
        VM.store(address(usdc), keccak256(abi.encode(owner, uint256(9))), bytes32(amount));
    }

    function maxAge() internal view returns (uint32) {
        return isBase ? 30 minutes : 1 hours;
    }

    /// As src/chains has it, but for the ceiling.
    function nativeMaxAge() internal view returns (uint32) {
        return isBase ? 20 minutes + 1 hours : 2 hours;
    }

    function _settings() private view returns (Settings memory) {
        return
            Settings({
                entryPoint: address(entryPoint),
                usdc: address(usdc),
                nativeUsd: address(ethUsd),
                nativeUsdMaxAge: nativeMaxAge(),
                leastNativeUsd: 100e8,
                mostNativeUsd: 100_000e8,
                usdcUsd: address(usdcUsd),
                usdcUsdMaxAge: 25 hours,
                sequencer: isBase ? address(sequencer) : address(0),
                maxAge: maxAge(),
                markupBps: 500,
                operationCeiling: type(uint64).max,
                highestCeiling: type(uint64).max,
                owner: address(this),
                pauser: address(this)
            });
    }

    function _populate() private {
        for (uint256 i; i < ACCOUNTS; ++i) {
            keys.push(uint256(keccak256(abi.encode("account", i))));
            address account = VM.addr(keys[i]);
            accounts.push(account);
            VM.etch(account, abi.encodePacked(hex"ef0100", implementation));
        }
        bundler = new ContractBundler();
        setUsdc(address(bundler), 1e15);
        tokens.push(usdc);
        tokens.push(IToken(address(new HostileToken())));
        tokens.push(IToken(address(new StubbornToken())));
        for (uint256 i; i < VAULTS; ++i) {
            FuzzVault vault = new FuzzVault(tokens[tokenOf(i)], accounts);
            vaults.push(vault);
            vault.mint(address(this), 1e12);
            if (isHostile(i)) vault.setMode((i + 1) / 2);
            give(tokenOf(i), address(vault), 1e12);
        }
        for (uint256 i; i < ACCOUNTS - 1; ++i) replenish(i);
    }

    function replenish(uint256 account) internal {
        for (uint256 i; i < tokens.length; ++i) give(i, accounts[account], 1e12);
        for (uint256 i; i < VAULTS; ++i) vaults[i].mint(accounts[account], 1e9);
    }

    function give(uint256 token, address to, uint256 amount) internal {
        if (token == 0) setUsdc(to, amount);
        else Ledger(address(tokens[token])).mint(to, amount);
    }

    function _feed(address place, bytes memory code) private returns (IFeed) {
        VM.etch(place, code);
        return IFeed(place);
    }

    function _create(bytes memory code) private returns (address created) {
        assembly {
            created := create(0, add(code, 32), mload(code))
        }
        require(created != address(0), "not deployed");
    }
}
