// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {Hashes} from "@openzeppelin/contracts/utils/cryptography/Hashes.sol";
import {YieldVaultAccount} from "../../src/account/YieldVaultAccount.sol";

/// @dev The encodings of the suite as Solidity itself makes them, for the vectors.
contract VectorProbe {
    function vaultHook(
        uint8 id,
        address vault,
        address token,
        uint256 amount,
        uint256 minimum
    ) external pure returns (bytes memory) {
        return abi.encodePacked(id, vault, token, amount, minimum);
    }

    function approveHook(uint256 amount) external pure returns (bytes memory) {
        return abi.encodePacked(uint8(3), amount);
    }

    function accountCall(bytes calldata entries) external pure returns (bytes memory) {
        return abi.encodeCall(YieldVaultAccount.runHooks, (entries));
    }

    function initializeCall(
        IERC20 token,
        address paymaster,
        uint256 allowance
    ) external pure returns (bytes memory) {
        return abi.encodeCall(YieldVaultAccount.initializeAccount, (token, paymaster, allowance));
    }

    function nonceKey(address validator) external pure returns (uint192) {
        return uint192(uint160(validator)) << 32;
    }

    function root(bytes32 leaf, bytes32[] calldata proof) external pure returns (bytes32 node) {
        node = leaf;
        for (uint256 i = 0; i < proof.length; i++) node = Hashes.commutativeKeccak256(node, proof[i]);
    }

    function packSignature(
        uint48 expiry,
        uint48 validAfter,
        bytes calldata signature,
        bytes32[] calldata proof
    ) external pure returns (bytes memory) {
        return abi.encodePacked(expiry, validAfter, signature, proof);
    }

    function create2(bytes32 salt, bytes32 initCodeHash, address deployer) external pure returns (address) {
        return Create2.computeAddress(salt, initCodeHash, deployer);
    }
}
