// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {LocalVault} from "./LocalVault.sol";

/// @title Local vault that pays later
/// @notice Deposits work at once. A redeem must be requested (ERC-7540), and only once the request is fulfilled
/// `redeem` pays; until then it reverts `ERC4626ExceededMaxRedeem`.
/// @dev The redeem side of ERC-7540 without operators.
contract LocalAsyncVault is LocalVault, IERC165 {
    mapping(address controller => uint256 shares) private _pending;
    mapping(address controller => uint256 shares) private _claimable;

    event RedeemRequest(
        address indexed controller,
        address indexed owner,
        uint256 indexed requestId,
        address sender,
        uint256 shares
    );

    /// @dev The outcome is known only when the request is fulfilled.
    error NotSynchronous();

    constructor(
        IERC20 underlying,
        string memory name_,
        string memory symbol_,
        uint8 decimalsOffset
    ) LocalVault(underlying, name_, symbol_, decimalsOffset) {}

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return
            interfaceId == type(IERC165).interfaceId ||
            interfaceId ==
            this.requestRedeem.selector ^ this.pendingRedeemRequest.selector ^ this.claimableRedeemRequest.selector;
    }

    /// @notice Hand shares in, to be paid once fulfilled.
    function requestRedeem(uint256 shares, address controller, address owner) external returns (uint256) {
        if (owner != _msgSender()) _spendAllowance(owner, _msgSender(), shares);
        _transfer(owner, address(this), shares);
        _pending[controller] += shares;
        emit RedeemRequest(controller, owner, 0, _msgSender(), shares);
        return 0;
    }

    /// @notice Make what an account requested claimable; open to anyone, local chains only.
    function fulfil(address controller) external {
        _claimable[controller] += _pending[controller];
        _pending[controller] = 0;
    }

    function pendingRedeemRequest(uint256, address controller) external view returns (uint256) {
        return _pending[controller];
    }

    function claimableRedeemRequest(uint256, address controller) external view returns (uint256) {
        return _claimable[controller];
    }

    /// @inheritdoc ERC4626
    function maxRedeem(address controller) public view override returns (uint256) {
        return _claimable[controller];
    }

    /// @inheritdoc ERC4626
    function maxWithdraw(address controller) public view override returns (uint256) {
        return convertToAssets(_claimable[controller]);
    }

    /// @inheritdoc ERC4626
    function previewRedeem(uint256) public pure override returns (uint256) {
        revert NotSynchronous();
    }

    /// @inheritdoc ERC4626
    function previewWithdraw(uint256) public pure override returns (uint256) {
        revert NotSynchronous();
    }

    /// @inheritdoc ERC4626
    function redeem(
        uint256 shares,
        address receiver,
        address controller
    ) public override returns (uint256 assets) {
        uint256 claimable = controller == _msgSender() ? _claimable[controller] : 0;
        if (shares > claimable) revert ERC4626ExceededMaxRedeem(controller, shares, claimable);
        _claimable[controller] = claimable - shares;
        assets = convertToAssets(shares);
        _withdraw(address(this), receiver, address(this), assets, shares);
    }

    /// @inheritdoc ERC4626
    function withdraw(uint256, address, address) public pure override returns (uint256) {
        revert NotSynchronous();
    }
}
