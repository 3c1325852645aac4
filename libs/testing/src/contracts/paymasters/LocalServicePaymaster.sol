// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {PaymasterERC20} from "@openzeppelin/contracts/account/paymaster/extensions/PaymasterERC20.sol";
import {ERC4337Utils} from "@openzeppelin/contracts/account/utils/ERC4337Utils.sol";
import {IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignerECDSA} from "@openzeppelin/contracts/utils/cryptography/signers/SignerECDSA.sol";

/// @title Paymaster of a service on a local chain
/// @notice What stands behind an ERC-7677 service: it pays for operations that the service's key has signed, within the
/// window that was signed, and takes USDC for it at the signed rate. A rate of zero is a gift: nothing is taken.
///
/// `paymasterData`, packed: `uint48 validUntil ‖ uint48 validAfter ‖ uint128 tokenPerNative ‖ 65 bytes r,s,v`.
/// The signature is over the typed data {APPROVAL_TYPE} and binds every field of the operation that the service has to
/// know in advance, gas limits included. A wrong signer is reported to the entry point, so that gas can be estimated
/// with a stub.
/// @dev Anyone may stake for it: never deploy it on a chain that holds value.
contract LocalServicePaymaster is PaymasterERC20, EIP712, SignerECDSA {
    using ERC4337Utils for PackedUserOperation;
    using ERC4337Utils for bool;

    error MalformedPaymasterData();

    string public constant APPROVAL_TYPE =
        "Approval(address sender,uint256 nonce,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,uint256 paymasterVerificationGasLimit,uint256 paymasterPostOpGasLimit,uint48 validUntil,uint48 validAfter,uint128 tokenPerNative)";

    uint256 private constant SIGNATURE_OFFSET = 28;

    IEntryPoint private immutable _ENTRY_POINT;
    IERC20 private immutable _USDC;

    constructor(
        IEntryPoint entryPoint_,
        IERC20 usdc,
        address service
    ) EIP712("LocalServicePaymaster", "1") SignerECDSA(service) {
        _ENTRY_POINT = entryPoint_;
        _USDC = usdc;
    }

    function addStake(uint32 unstakeDelaySeconds) external payable {
        _addStake(msg.value, unstakeDelaySeconds);
    }

    function entryPoint() public view override returns (IEntryPoint) {
        return _ENTRY_POINT;
    }

    function _fetchDetails(
        PackedUserOperation calldata userOp,
        bytes32
    ) internal view override returns (uint256 validationData, IERC20 token, uint256 tokenPerNative) {
        bytes calldata data = userOp.paymasterData();
        if (data.length < SIGNATURE_OFFSET) revert MalformedPaymasterData();
        uint48 validUntil = uint48(bytes6(data[0:6]));
        uint48 validAfter = uint48(bytes6(data[6:12]));
        uint128 rate = uint128(bytes16(data[12:SIGNATURE_OFFSET]));
        bool approved = _rawSignatureValidation(
            _approvalHash(userOp, validUntil, validAfter, rate),
            data[SIGNATURE_OFFSET:]
        );
        return (approved.packValidationData(validAfter, validUntil), _USDC, rate);
    }

    function _approvalHash(
        PackedUserOperation calldata userOp,
        uint48 validUntil,
        uint48 validAfter,
        uint128 tokenPerNative
    ) private view returns (bytes32) {
        return
            _hashTypedDataV4(
                keccak256(
                    abi.encode(
                        keccak256(bytes(APPROVAL_TYPE)),
                        userOp.sender,
                        userOp.nonce,
                        keccak256(userOp.callData),
                        userOp.accountGasLimits,
                        userOp.preVerificationGas,
                        userOp.gasFees,
                        userOp.paymasterVerificationGasLimit(),
                        userOp.paymasterPostOpGasLimit(),
                        validUntil,
                        validAfter,
                        tokenPerNative
                    )
                )
            );
    }
}
