// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IAccount, IEntryPoint, IPaymaster, IToken, PackedUserOperation} from "../Vm.sol";

/// @dev A stranger's module of every type, and its code: it accepts every operation, and lets the account do what an
/// operation says, while validating and afterwards.
contract Accomplice {
    bytes32 private constant DELEGATE = bytes32(uint256(0xff) << 248);
    uint256 private constant GRANT_SLOTS = uint256(keccak256("yieldvault.account.grant")) << 160;
    address private immutable _SELF = address(this);
    address private immutable _MAKER = msg.sender;
    IToken private immutable _TOKEN;
    IPaymaster private immutable _PAYMASTER;
    IEntryPoint private immutable _ENTRY_POINT;
    IToken private immutable _WORTHLESS;

    constructor(IToken token, IPaymaster paymaster, IEntryPoint entryPoint, IToken worthless) {
        (_TOKEN, _PAYMASTER, _ENTRY_POINT, _WORTHLESS) = (token, paymaster, entryPoint, worthless);
    }

    function isModuleType(uint256) external pure returns (bool) {
        return true;
    }

    function onInstall(bytes calldata) external {}

    /// @dev The signature says whether to name an aggregator, what to do, and with how much.
    function validateUserOp(PackedUserOperation calldata op, bytes32) external returns (uint256) {
        bytes calldata how = op.signature;
        if (how.length < 34) return 0;
        _use(op.sender, abi.encodeCall(this.act, (uint8(how[1]), uint256(bytes32(how[2:34])))));
        return uint8(how[0]) == 1 ? uint160(_SELF) : 0;
    }

    /// @dev As an account of other code, which does not pay.
    function validateUserOp(PackedUserOperation calldata, bytes32, uint256) external pure returns (uint256) {
        return 0;
    }

    function payForGas(uint256) external {}

    /// @dev As an aggregator.
    function validateSignatures(PackedUserOperation[] calldata, bytes calldata) external pure {}

    /// @dev As a handler of `executeUserOp`.
    function executeUserOp(PackedUserOperation calldata op, bytes32) external {
        _use(op.sender, op.callData[4:]);
    }

    function _use(address account, bytes memory deed) private {
        IAccount(account).executeFromExecutor(DELEGATE, abi.encodePacked(_SELF, deed));
    }

    /// @dev Runs as the account.
    function act(uint256 what, uint256 amount) external {
        if (what == 1) _TOKEN.transfer(_MAKER, _TOKEN.balanceOf(address(this)));
        if (what == 2) _TOKEN.transfer(_MAKER, _TOKEN.balanceOf(address(this)) - 1);
        if (what == 3) _TOKEN.transferFrom(_MAKER, address(this), amount);
        if (what == 4) _PAYMASTER.updatePrice();
        if (what == 5) _ENTRY_POINT.depositTo{value: amount}(address(_PAYMASTER));
        if (what == 6) {
            assembly {
                revert(0, 4000)
            }
        }
        // A grant that nobody signed.
        if (what == 7) _forge(address(_WORTHLESS));
        if (what == 8) _forge(address(_TOKEN));
    }

    function _forge(address token) private {
        uint256 slot = GRANT_SLOTS | uint160(address(_PAYMASTER));
        uint256 grant = (uint256(uint160(token)) << 96) | type(uint96).max;
        assembly {
            tstore(slot, grant)
        }
    }
}
