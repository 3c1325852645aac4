// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {
    IERC7579ModuleConfig,
    IERC7579Validator,
    MODULE_TYPE_VALIDATOR,
    VALIDATION_FAILED
} from "@openzeppelin/contracts/interfaces/draft-IERC7579.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";

/// @title Validator module for intents signed as typed data over a merkle root
/// @notice The wallet's key signs `Intent(merkleRoot, chainId, expiry, validAfter)` once; every leaf below the root is
/// one user operation that this signature authorises, and nothing else. The signer must be the account's own address:
/// the module is for EIP-7702 accounts and stores no owner that could go stale. It stores nothing at all.
///
/// Signature layout, packed: `uint48 expiry ‖ uint48 validAfter ‖ 65 bytes r,s,v ‖ bytes32[] proof`, 77 + 32n bytes.
/// The root is not in it: it is computed from leaf and proof, and the signature is checked over what was computed.
///
/// Everything that matters is inside the leaf: the user-operation hash (which binds sender, nonce, call data, every gas
/// field, the paymaster with its data, the entry point and the chain), the validity window and this module's address.
///
/// What it does not do: it never reads the clock (ERC-7562 forbids it) but returns the window; it does not count uses,
/// since the entry point's nonce makes a user operation single-use; it does not revoke. Every intent of an account uses
/// the next nonce of one key, so any other operation of that key revokes it, and so does `EntryPoint.incrementNonce`.
///
/// Dangerous combination: one root may cover many leaves. A signer who does not rebuild the tree signs whatever it holds.
contract IntentValidator is IERC7579Validator {
    /// @notice The signature is not 77 + 32n bytes long.
    error IntentSignatureMalformed(uint256 length);

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant NAME_HASH = keccak256("YieldVaultIntent");
    bytes32 private constant VERSION_HASH = keccak256("1");
    bytes32 private constant INTENT_TYPEHASH =
        keccak256("Intent(bytes32 merkleRoot,uint256 chainId,uint48 expiry,uint48 validAfter)");
    uint256 private constant SIGNATURE_OFFSET = 12;
    uint256 private constant PROOF_OFFSET = 77;
    bytes4 private constant ERC1271_INVALID = 0xffffffff;

    /// @inheritdoc IERC7579Validator
    /// @dev Only undecodable bytes revert. A wrong proof or signer and an expiry of zero (which the entry point would
    /// read as "for ever") return 1, so that gas can be estimated with a stub signature.
    function validateUserOp(PackedUserOperation calldata userOp, bytes32 userOpHash) external view returns (uint256) {
        (bool valid, uint48 expiry, uint48 validAfter) = _verify(userOp.sender, userOpHash, userOp.signature);
        if (!valid) return VALIDATION_FAILED;
        // Packed here in full width: a helper that reserves the top bit would turn an expiry of 2^47 into "for ever".
        return (uint256(validAfter) << 208) | (uint256(expiry) << 160);
    }

    /// @inheritdoc IERC7579Validator
    /// @dev Always invalid, so that a leaf authorises a user operation only. The account answers ERC-1271 by itself.
    function isValidSignatureWithSender(address, bytes32, bytes calldata) external pure returns (bytes4) {
        return ERC1271_INVALID;
    }

    /// @notice Nothing to set up: the module keeps no state.
    function onInstall(bytes calldata) external {}

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

    /// @notice The leaf that authorises `userOpHash` in this window with this module.
    /// @dev Hashed twice, so that no leaf can be read as an inner node of the tree.
    function leafOf(bytes32 userOpHash, uint48 expiry, uint48 validAfter) public view returns (bytes32) {
        return keccak256(bytes.concat(keccak256(abi.encode(userOpHash, expiry, validAfter, address(this)))));
    }

    /// @notice The EIP-712 digest that the wallet's key signs on this chain.
    function intentDigest(bytes32 merkleRoot, uint48 expiry, uint48 validAfter) public view returns (bytes32) {
        // Computed here, so that the code has no immutable that differs between chains.
        bytes32 domain = keccak256(
            abi.encode(DOMAIN_TYPEHASH, NAME_HASH, VERSION_HASH, block.chainid, address(this))
        );
        return
            MessageHashUtils.toTypedDataHash(
                domain,
                keccak256(abi.encode(INTENT_TYPEHASH, merkleRoot, block.chainid, expiry, validAfter))
            );
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
        valid = problem == ECDSA.RecoverError.NoError && signer == account;
    }
}
