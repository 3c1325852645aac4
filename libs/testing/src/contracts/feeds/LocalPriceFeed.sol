// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Stand-in for a price feed on local chains
/// @notice The read surface of a Chainlink AggregatorV3 with 8 decimals. By default a price never goes stale; a round
/// with a fixed time can be set to rehearse a stale feed.
/// @dev Placed with `anvil_setCode` at the canonical address, so it has no constructor. Anyone may set the price:
/// never deploy it on a chain that holds value.
contract LocalPriceFeed {
    uint8 public constant decimals = 8;
    uint256 public constant version = 4;

    struct Round {
        int192 answer;
        /// @dev 0 means "as fresh as the block that reads it".
        uint64 updatedAt;
    }

    uint80 private _latestRoundId;
    mapping(uint80 roundId => Round round) private _rounds;

    /// @notice The pair that is priced, e.g. "ETH / USD".
    string public description;

    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

    /// @notice Name the pair: readers may refuse a feed that does not say what they expect.
    function setDescription(string calldata pair) external {
        description = pair;
    }

    /// @notice Set a price that stays fresh.
    function setAnswer(int192 answer) external {
        _setRound(answer, 0);
    }

    /// @notice Set a price that was updated at `updatedAt` and ages from there.
    function setRound(int192 answer, uint64 updatedAt) external {
        _setRound(answer, updatedAt);
    }

    function latestAnswer() external view returns (int256) {
        return _rounds[_latestRoundId].answer;
    }

    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        return getRoundData(_latestRoundId);
    }

    function getRoundData(
        uint80 id
    )
        public
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        require(id != 0 && id <= _latestRoundId, "No data present");
        Round memory round = _rounds[id];
        uint256 time = round.updatedAt == 0 ? block.timestamp : round.updatedAt;
        return (id, round.answer, time, time, id);
    }

    function _setRound(int192 answer, uint64 updatedAt) private {
        uint80 id = ++_latestRoundId;
        _rounds[id] = Round(answer, updatedAt);
        emit AnswerUpdated(answer, id, updatedAt == 0 ? block.timestamp : updatedAt);
    }
}
