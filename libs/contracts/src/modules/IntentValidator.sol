// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {
    IERC7579ModuleConfig,
    IERC7579Validator,
    MODULE_TYPE_VALIDATOR,
    VALIDATION_FAILED
} from "@openzeppelin/contracts/interfaces/draft-IERC7579.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";

/// @title Validator module for intents signed as typed data over a merkle root
/// @notice The owner signs `Intent(merkleRoot, chainId, expiry, validAfter)` once; every leaf below the root is one
/// user operation (or one ERC-1271 hash) that this signature authorises. The signer must be the account's own address:
/// the module is for EIP-7702 accounts and stores no owner that could go stale.
///
/// Signature layout, packed: `uint48 expiry ‖ uint48 validAfter ‖ 65 bytes r,s,v ‖ bytes32[] proof`, 77 + 32n bytes.
/// The root is not in it: it is computed from leaf and proof, and the signature is checked over what was computed.
///
/// Everything that matters is inside the leaf: the user-operation hash (which binds sender, nonce, call data, every gas
/// field, the paymaster with its data, the entry point and the chain), the validity window and this module's address.
///
/// What it does not do: it never reads the clock while validating (ERC-7562 forbids it) but returns the window; it does
/// not count uses, since the entry point's nonce makes a user operation single-use. An ERC-1271 hash is valid as often
/// as it is asked for inside its window.
///
/// Dangerous combinations:
/// - One root may cover many leaves. A signer who does not rebuild the tree signs whatever it holds.
/// - A user-operation hash presented by an application as an ERC-1271 hash has the same leaf: signing one authorises
///   the other.
contract IntentValidator is IERC7579Validator, EIP712 {
    /// @notice The signature is not 77 + 32n bytes long.
    error IntentSignatureMalformed(uint256 length);

    /// @notice No signature over this root is valid for this account any more.
    event IntentRevoked(address indexed account, bytes32 indexed merkleRoot);

    bytes32 private constant INTENT_TYPEHASH =
        keccak256("Intent(bytes32 merkleRoot,uint256 chainId,uint48 expiry,uint48 validAfter)");
    uint256 private constant SIGNATURE_OFFSET = 12;
    uint256 private constant PROOF_OFFSET = 77;
    bytes4 private constant ERC1271_INVALID = 0xffffffff;

    // The account is the innermost key: ERC-7562 counts only such slots as the account's own.
    mapping(bytes32 merkleRoot => mapping(address account => bool)) private _revoked;

    constructor() EIP712("YieldVaultIntent", "1") {}

    /// @notice Revoke a root for the caller. Idempotent, for good, and possible before the root was ever used.
    function revoke(bytes32 merkleRoot) external {
        _revoked[merkleRoot][msg.sender] = true;
        emit IntentRevoked(msg.sender, merkleRoot);
    }

    /// @inheritdoc IERC7579Validator
    /// @dev Only undecodable bytes revert. A wrong proof or signer, a revoked root and an expiry of zero (which the
    /// entry point would read as "for ever") all return 1, so that gas can be estimated with a stub signature.
    function validateUserOp(PackedUserOperation calldata userOp, bytes32 userOpHash) external view returns (uint256) {
        (bool valid, uint48 expiry, uint48 validAfter) = _verify(userOp.sender, userOpHash, userOp.signature);
        if (!valid) return VALIDATION_FAILED;
        // Packed here in full width: a helper that reserves the top bit would turn an expiry of 2^47 into "for ever".
        return (uint256(validAfter) << 208) | (uint256(expiry) << 160);
    }

    /// @inheritdoc IERC7579Validator
    /// @dev The account is the caller; who asked the account does not matter. Not part of a user operation's
    /// validation, so the window is checked against the clock, with the entry point's bounds.
    function isValidSignatureWithSender(
        address,
        bytes32 hash,
        bytes calldata signature
    ) external view returns (bytes4) {
        (bool valid, uint48 expiry, uint48 validAfter) = _verify(msg.sender, hash, signature);
        bool inWindow = block.timestamp > validAfter && block.timestamp <= expiry;
        return valid && inWindow ? IERC1271.isValidSignature.selector : ERC1271_INVALID;
    }

    /// @notice Nothing to set up: the module keeps no state per account but revocations.
    function onInstall(bytes calldata) external {}

    /// @notice Revocations outlive the module, so that installing it again revives nothing.
    function onUninstall(bytes calldata) external {}

    function isModuleType(uint256 moduleTypeId) external pure returns (bool) {
        return moduleTypeId == MODULE_TYPE_VALIDATOR;
    }

    /// @return Whether `account` has this module installed.
    function isInitialized(address account) external view returns (bool) {
        return
            account.code.length != 0 &&
            IERC7579ModuleConfig(account).isModuleInstalled(MODULE_TYPE_VALIDATOR, address(this), "");
    }

    function isRevoked(bytes32 merkleRoot, address account) external view returns (bool) {
        return _revoked[merkleRoot][account];
    }

    /// @notice The leaf that authorises `userOpHash` in this window with this module.
    /// @dev Hashed twice, so that no leaf can be read as an inner node of the tree.
    function leafOf(bytes32 userOpHash, uint48 expiry, uint48 validAfter) public view returns (bytes32) {
        return keccak256(bytes.concat(keccak256(abi.encode(userOpHash, expiry, validAfter, address(this)))));
    }

    /// @notice The EIP-712 digest that the owner signs on this chain.
    function intentDigest(bytes32 merkleRoot, uint48 expiry, uint48 validAfter) public view returns (bytes32) {
        return
            _hashTypedDataV4(keccak256(abi.encode(INTENT_TYPEHASH, merkleRoot, block.chainid, expiry, validAfter)));
    }

    function _verify(
        address account,
        bytes32 hash,
        bytes calldata signature
    ) private view returns (bool valid, uint48 expiry, uint48 validAfter) {
        uint256 length = signature.length;
        if (length < PROOF_OFFSET || (length - PROOF_OFFSET) % 32 != 0) revert IntentSignatureMalformed(length);

        expiry = uint48(bytes6(signature[0:6]));
        validAfter = uint48(bytes6(signature[6:12]));
        if (expiry == 0) return (false, 0, 0);

        bytes32[] calldata proof;
        assembly ("memory-safe") {
            proof.offset := add(signature.offset, PROOF_OFFSET)
            proof.length := shr(5, sub(length, PROOF_OFFSET))
        }
        bytes32 root = MerkleProof.processProofCalldata(proof, leafOf(hash, expiry, validAfter));
        (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecoverCalldata(
            intentDigest(root, expiry, validAfter),
            signature[SIGNATURE_OFFSET:PROOF_OFFSET]
        );
        valid = problem == ECDSA.RecoverError.NoError && signer == account && !_revoked[root][account];
    }
}
