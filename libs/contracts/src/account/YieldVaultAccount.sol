// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {AccountERC7579} from "@openzeppelin/contracts/account/extensions/draft-AccountERC7579.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IAccount, IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {
    IERC7579AccountConfig,
    IERC7579Execution,
    IERC7579Module,
    IERC7579ModuleConfig,
    IERC7579Validator,
    MODULE_TYPE_EXECUTOR,
    MODULE_TYPE_VALIDATOR,
    VALIDATION_FAILED
} from "@openzeppelin/contracts/interfaces/draft-IERC7579.sol";
import {ERC7579Utils} from "@openzeppelin/contracts/account/utils/draft-ERC7579Utils.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IERC721Receiver} from "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";
import {ERC721Holder} from "@openzeppelin/contracts/token/ERC721/utils/ERC721Holder.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {Calldata} from "@openzeppelin/contracts/utils/Calldata.sol";
import {TransientSlot} from "@openzeppelin/contracts/utils/TransientSlot.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {GRANT_MARK, IGasPayer} from "../interfaces/IGasPayer.sol";

/// @title Code that an EOA delegates to (EIP-7702)
/// @notice An ERC-7579 account: user operations are validated by an installed validator module, and an installed
/// executor module may call back. One validator and one executor are the default: fixed in this code, and installed by
/// the delegation alone. They can be removed and installed again like any other module. The key of the EOA keeps full
/// control: it can send transactions, change or clear the delegation, and install or remove modules at any time.
///
/// The account pays its paymaster itself. `paymasterData` of `bytes4 mark ‖ address token ‖ uint96 maximum` is a grant: the
/// paymaster of the operation may ask once, within the transaction, for up to `maximum` of `token`. The key signed the
/// grant with the operation. There is no allowance and no permit.
///
/// What it does not do: it has no owner in storage, no upgrade path, no initialiser that anybody else can call, and it
/// accepts no user operation without a validator module.
///
/// Dangerous combinations:
/// - A validator or executor module is trusted with everything the account holds. Install none but audited ones.
/// - `execute` supports delegate calls (ERC-7579). Code run that way writes this account's storage.
/// - A paymaster that does not ask during validation may ask later in the same transaction. A dishonest paymaster can take
///   the whole grant.
/// - The module lists and removals stay in storage when the wallet delegates to other code. They count again when it
///   delegates to this code.
/// @custom:storage-location erc7201:yieldvault.account
contract YieldVaultAccount layout at 0xfd05bbc306dcdf66b70cbe020ffabf7a9b7149c915ce12e5d3e8ff3563854200
    is AccountERC7579, ERC721Holder, ERC1155Holder, IGasPayer
{
    using SafeERC20 for IERC20;
    using TransientSlot for *;

    /// @notice Only the account itself may initialise it.
    error AccountInitializerUnauthorized(address sender);

    /// @notice The implementation was called directly instead of through a delegation.
    error AccountNotDelegated();

    /// @notice The caller has no grant, or asked for more than its maximum.
    error GasPaymentRefused(uint256 maximum, uint256 amount);

    uint256 private constant GRANT_OFFSET = 56;
    uint256 private constant GRANT_END = 88;
    // Above the 160 bits of the address for which the grant is kept.
    uint256 private constant GRANT_SLOTS = uint256(keccak256("yieldvault.account.grant")) << 160;

    /// @notice The validator module that every account has until it removes it.
    address public immutable defaultValidator;
    /// @notice The executor module that every account has until it removes it.
    address public immutable defaultExecutor;
    IEntryPoint private immutable _ENTRY_POINT;
    address private immutable _IMPLEMENTATION = address(this);

    /// @dev One bit for each module type whose default module the account removed; one slot, since every operation reads
    /// both bits.
    uint256 private _removedDefaults;

    /// @param entryPoint_ The only entry point whose user operations this code accepts.
    constructor(IEntryPoint entryPoint_, address defaultValidator_, address defaultExecutor_) {
        _ENTRY_POINT = entryPoint_;
        defaultValidator = defaultValidator_;
        defaultExecutor = defaultExecutor_;
    }

    /// @notice Install whichever default module was removed.
    /// @dev Idempotent. Callable by the account itself only, in a transaction from its own key or in a call it makes.
    function initializeAccount() external {
        if (msg.sender != address(this)) revert AccountInitializerUnauthorized(msg.sender);
        if (_isRemoved(MODULE_TYPE_VALIDATOR)) _installModule(MODULE_TYPE_VALIDATOR, defaultValidator, "");
        if (_isRemoved(MODULE_TYPE_EXECUTOR)) _installModule(MODULE_TYPE_EXECUTOR, defaultExecutor, "");
    }

    /// @inheritdoc IGasPayer
    /// @dev The grant ends before the token is called.
    function payForGas(uint256 amount) external {
        bytes32 slot = _grantSlot(msg.sender);
        uint256 grant = slot.asUint256().tload();
        if (grant == 0 || amount > uint96(grant)) revert GasPaymentRefused(uint96(grant), amount);
        slot.asUint256().tstore(0);
        IERC20(address(uint160(grant >> 96))).safeTransfer(msg.sender, amount);
    }

    /// @notice Run hooks of the default executor as this account. Not ERC-7579 hooks.
    /// @dev By delegate call: the target is fixed in this code, it writes no storage, and it takes the call data as it
    /// came, since its function has the same name and argument.
    /// See {YieldExecutor-runHooks} for the one argument.
    function runHooks(bytes calldata) external onlyEntryPointOrSelf {
        if (_isRemoved(MODULE_TYPE_EXECUTOR)) {
            revert ERC7579Utils.ERC7579UninstalledModule(MODULE_TYPE_EXECUTOR, defaultExecutor);
        }
        if (!LowLevelCall.delegatecallNoReturn(defaultExecutor, msg.data)) LowLevelCall.bubbleRevert();
    }

    /// @notice ERC-1271: a signature of the wallet's key over the bare hash, 65 bytes, or 64 (EIP-2098).
    /// @dev Tokens that ask ERC-1271 as soon as the signer has code (USDC) go on taking permits and EIP-3009
    /// authorizations after the delegation. Modules are never asked.
    /// @inheritdoc IERC1271
    function isValidSignature(bytes32 hash, bytes calldata signature) public view override returns (bytes4) {
        (address signer, ECDSA.RecoverError problem, ) = signature.length == 64
            ? ECDSA.tryRecover(hash, bytes32(signature[:32]), bytes32(signature[32:]))
            : ECDSA.tryRecoverCalldata(hash, signature);
        bool valid = problem == ECDSA.RecoverError.NoError && signer == address(this);
        return valid ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    /// @inheritdoc IERC7579ModuleConfig
    function isModuleInstalled(
        uint256 moduleTypeId,
        address module,
        bytes calldata additionalContext
    ) public view override returns (bool) {
        if (_isDefault(moduleTypeId, module)) return !_isRemoved(moduleTypeId);
        return super.isModuleInstalled(moduleTypeId, module, additionalContext);
    }

    /// @notice ERC-165: what this account can be asked, and what it can receive.
    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return
            interfaceId == type(IAccount).interfaceId ||
            interfaceId == type(IERC1271).interfaceId ||
            interfaceId == type(IERC7579Execution).interfaceId ||
            interfaceId == type(IERC7579AccountConfig).interfaceId ||
            interfaceId == type(IERC7579ModuleConfig).interfaceId ||
            interfaceId == type(IERC721Receiver).interfaceId ||
            super.supportsInterface(interfaceId);
    }

    /// @return The entry point fixed at deployment.
    function entryPoint() public view override returns (IEntryPoint) {
        return _ENTRY_POINT;
    }

    /// @return ERC-7579 identifier of this implementation.
    function accountId() public pure override returns (string memory) {
        return "yieldvault.account.1.0.0";
    }

    /// @dev Call data is not restricted here: the key signs it.
    /// Hands the module the call data of {validateUserOp} as it came, under the module's selector, instead of
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
        _noteGrant(userOp.paymasterAndData, address(uint160(validationData)) == address(0));
    }

    /// @dev An operation that the validator did not accept, a stub signature included, grants nothing. It takes back what
    /// was there, too: code that the account ran by delegate call may have written a grant of another token.
    function _noteGrant(bytes calldata data, bool isAccepted) private {
        if (data.length != GRANT_END || bytes4(data[52:GRANT_OFFSET]) != GRANT_MARK) return;
        uint256 grant = isAccepted ? uint256(bytes32(data[GRANT_OFFSET:])) : 0;
        _grantSlot(address(bytes20(data[:20]))).asUint256().tstore(grant);
    }

    function _grantSlot(address paymaster) private pure returns (bytes32) {
        return bytes32(GRANT_SLOTS | uint160(paymaster));
    }

    function _installModule(uint256 moduleTypeId, address module, bytes memory initData) internal override {
        if (!_isDefault(moduleTypeId, module)) return super._installModule(moduleTypeId, module, initData);
        if (!_isRemoved(moduleTypeId))
            revert ERC7579Utils.ERC7579AlreadyInstalledModule(moduleTypeId, module);
        _removedDefaults ^= 1 << moduleTypeId;
        IERC7579Module(module).onInstall(initData);
        emit ModuleInstalled(moduleTypeId, module);
    }

    function _uninstallModule(uint256 moduleTypeId, address module, bytes memory deInitData) internal override {
        if (!_isDefault(moduleTypeId, module)) return super._uninstallModule(moduleTypeId, module, deInitData);
        if (_isRemoved(moduleTypeId)) revert ERC7579Utils.ERC7579UninstalledModule(moduleTypeId, module);
        _removedDefaults ^= 1 << moduleTypeId;
        IERC7579Module(module).onUninstall(deInitData);
        emit ModuleUninstalled(moduleTypeId, module);
    }

    function _isDefault(uint256 moduleTypeId, address module) private view returns (bool) {
        if (moduleTypeId == MODULE_TYPE_VALIDATOR) return module == defaultValidator;
        return moduleTypeId == MODULE_TYPE_EXECUTOR && module == defaultExecutor;
    }

    function _isRemoved(uint256 moduleTypeId) private view returns (bool) {
        return (_removedDefaults >> moduleTypeId) & 1 != 0;
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
