// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {AccountERC7579} from "@openzeppelin/contracts/account/extensions/draft-AccountERC7579.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {
    IERC7579Validator,
    MODULE_TYPE_EXECUTOR,
    MODULE_TYPE_VALIDATOR,
    VALIDATION_FAILED
} from "@openzeppelin/contracts/interfaces/draft-IERC7579.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";
import {ERC721Holder} from "@openzeppelin/contracts/token/ERC721/utils/ERC721Holder.sol";
import {Calldata} from "@openzeppelin/contracts/utils/Calldata.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title Account of an externally owned account that delegates to this code (EIP-7702)
/// @notice An ERC-7579 account: user operations are validated by an installed validator module, and an installed
/// executor module may call back. The key of the externally owned account stays its root: it can send transactions,
/// change or clear the delegation, and install or remove modules at any time.
///
/// What it does not do: it has no owner in storage, no upgrade path, no initialiser that anybody else can call, and it
/// accepts no user operation without a validator module.
///
/// Dangerous combinations:
/// - A validator or executor module is trusted with everything the account holds. Install none but audited ones.
/// - `execute` supports delegate calls (ERC-7579). Code run that way writes this account's storage.
/// - EIP-7702 keeps the delegation when the transaction that set it reverts. An account may therefore be delegated
///   without modules; {initializeAccount} repairs it, and nobody but the account can use it in between.
/// - Delegating to other code keeps the module lists, which live in an ERC-7201 namespace, in storage. They count
///   again when the account comes back.
/// @custom:storage-location erc7201:yieldvault.account
contract YieldVaultAccount layout at 0xfd05bbc306dcdf66b70cbe020ffabf7a9b7149c915ce12e5d3e8ff3563854200
    is AccountERC7579, ERC721Holder, ERC1155Holder
{
    using SafeERC20 for IERC20;

    /// @notice Only the account itself may initialise it.
    error AccountInitializerUnauthorized(address sender);

    /// @notice The implementation was called directly instead of through a delegation.
    error AccountNotDelegated();

    /// @notice The account has both modules, and the paymaster its allowance.
    event AccountInitialized(
        address indexed validator,
        address indexed executor,
        address indexed paymaster,
        address token,
        uint256 allowance
    );

    IEntryPoint private immutable _ENTRY_POINT;
    address private immutable _IMPLEMENTATION = address(this);

    /// @param entryPoint_ The only entry point whose user operations this code accepts.
    constructor(IEntryPoint entryPoint_) {
        _ENTRY_POINT = entryPoint_;
    }

    /// @notice Install whichever of the two modules is missing and set the paymaster's allowance.
    /// @dev Idempotent, so that it also repairs an account whose first initialisation reverted. Callable by the
    /// account itself only, in a transaction from its own key or in a call it makes itself.
    /// @param validator ERC-7579 validator module.
    /// @param executor ERC-7579 executor module.
    /// @param token Token in which the paymaster is paid.
    /// @param paymaster Spender of `token`; zero leaves allowances alone.
    /// @param allowance Exact allowance to set, in base units of `token`; it replaces the present one.
    function initializeAccount(
        address validator,
        address executor,
        address token,
        address paymaster,
        uint256 allowance
    ) external {
        if (msg.sender != address(this)) revert AccountInitializerUnauthorized(msg.sender);
        if (!isModuleInstalled(MODULE_TYPE_VALIDATOR, validator, Calldata.emptyBytes())) {
            _installModule(MODULE_TYPE_VALIDATOR, validator, "");
        }
        if (!isModuleInstalled(MODULE_TYPE_EXECUTOR, executor, Calldata.emptyBytes())) {
            _installModule(MODULE_TYPE_EXECUTOR, executor, "");
        }
        if (paymaster != address(0)) IERC20(token).forceApprove(paymaster, allowance);
        emit AccountInitialized(validator, executor, paymaster, token, allowance);
    }

    /// @notice ERC-1271. A 65-byte signature is the owner's over the bare hash; any other length is a validator
    /// module's address followed by what that module defines.
    /// @dev The owner path is taken before a module prefix is read. Without it, tokens that ask ERC-1271 as soon as
    /// the signer has code (USDC) would refuse permits and EIP-3009 authorizations after the delegation.
    /// @inheritdoc IERC1271
    function isValidSignature(bytes32 hash, bytes calldata signature) public view override returns (bytes4) {
        if (signature.length != 65) return super.isValidSignature(hash, signature);
        (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecoverCalldata(hash, signature);
        bool valid = problem == ECDSA.RecoverError.NoError && signer == address(this);
        return valid ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    /// @return The entry point fixed at deployment.
    function entryPoint() public view override returns (IEntryPoint) {
        return _ENTRY_POINT;
    }

    /// @return ERC-7579 identifier of this implementation.
    function accountId() public pure override returns (string memory) {
        return "yieldvault.account.1.0.0";
    }

    /// @dev Hands the module the call data of {validateUserOp} as it came, under the module's selector, instead of
    /// encoding the user operation anew. The module's arguments are the first two of the account's three, and ABI
    /// decoders follow the offset of the first, so the third is passed over. Relies on being reached from
    /// {validateUserOp} only.
    function _validateUserOp(
        PackedUserOperation calldata userOp,
        bytes32,
        bytes calldata
    ) internal override returns (uint256 validationData) {
        address module = _extractUserOpValidator(userOp);
        if (!isModuleInstalled(MODULE_TYPE_VALIDATOR, module, Calldata.emptyBytes())) return VALIDATION_FAILED;
        bytes4 selector = IERC7579Validator.validateUserOp.selector;
        assembly ("memory-safe") {
            // Scratch beyond the free pointer: nothing is allocated between here and the end of the block.
            let data := mload(0x40)
            calldatacopy(data, 0, calldatasize())
            mstore(data, or(selector, shr(32, shl(32, mload(data)))))
            if iszero(call(gas(), module, 0, data, calldatasize(), 0, 0x20)) {
                returndatacopy(data, 0, returndatasize())
                revert(data, returndatasize())
            }
            if lt(returndatasize(), 0x20) { revert(0, 0) }
            validationData := mload(0)
        }
    }

    function _checkEntryPoint() internal view override {
        _checkDelegated();
        super._checkEntryPoint();
    }

    function _checkEntryPointOrSelf() internal view override {
        _checkDelegated();
        super._checkEntryPointOrSelf();
    }

    function _checkDelegated() private view {
        if (address(this) == _IMPLEMENTATION) revert AccountNotDelegated();
    }
}
