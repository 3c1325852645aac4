import {
  operations,
  riskLevels,
  setupTypes,
  type Execution,
  type ExecutionStrategy,
  type Operation,
  type PrepareExecutionResponse,
  type PrepareSetupResponse,
  type PreparedIntentEnvelope,
  type RebalanceSource,
  type RebalanceTarget,
  type RiskLevel,
  type SetupBlock,
  type SetupStrategy,
  type SetupType,
} from '@yield-vault/protocol';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import {
  ApiAddress,
  ApiBaseUnits,
  ApiChoice,
  ApiConstant,
  ApiHash32,
  ApiHex,
  ApiInteger,
  ApiList,
  ApiNull,
  ApiNumber,
  ApiObject,
  ApiObjectOrNull,
  ApiText,
  ApiTimestamp,
  hash32Pattern,
} from '@yield-vault/server';
import type { Address, Hex } from 'viem';
import { examples } from '../../openapi/examples.js';
import { ApyDto, RiskDto } from '../discovery/vault.dto.js';
import { EnvelopeUserOperationDto, IntentSigningDto } from './intent-envelope.dto.js';

@ApiSchema({ name: 'SetupStrategy', description: 'The vault that the setup leads to.' })
export class SetupStrategyDto implements SetupStrategy {
  @ApiText({ description: 'Name of the vault.', example: examples.vaultName })
  readonly vaultName!: string;

  @ApiNumber({ description: 'Current APY in percent.', example: 4.12 })
  readonly expectedAPY!: number;

  @ApiChoice(riskLevels, { description: 'Risk level.', example: 'low' })
  readonly riskScore!: RiskLevel;
}

@ApiSchema({ name: 'Strategy', description: 'The vault that the operation moves funds to.' })
export class ExecutionStrategyDto extends SetupStrategyDto implements ExecutionStrategy {
  @ApiText({ description: 'Protocol that runs the vault.', example: examples.protocol })
  readonly protocol!: string;

  @ApiText({ description: 'Chain key.', example: 'base' })
  readonly chain!: string;

  @ApiNumber({ description: 'Assets under management, in USD.', example: 1250000 })
  readonly tvl!: number;
}

@ApiSchema({ name: 'RebalanceSource', description: 'The vault to leave.' })
export class RebalanceSourceDto implements RebalanceSource {
  @ApiBaseUnits({ description: 'Id of the vault.', example: examples.vaultId })
  readonly vaultId!: string;

  @ApiText({ description: 'Name of the vault.', example: examples.vaultName })
  readonly vaultName!: string;

  @ApiObject(() => ApyDto, { description: 'APY in percent.' })
  readonly apy!: ApyDto;

  @ApiObject(() => RiskDto, { description: 'Risk of the vault.' })
  readonly risk!: RiskDto;

  @ApiNumber({ description: 'Assets under management, in USD.', example: 1250000 })
  readonly tvlUsd!: number;
}

@ApiSchema({ name: 'RebalanceTarget', description: 'The recommended vault.' })
export class RebalanceTargetDto extends RebalanceSourceDto implements RebalanceTarget {
  @ApiNumber({ description: 'Ranking score from 0 to 100.', example: 87.42 })
  readonly compositeScore!: number;
}

@ApiSchema({ name: 'SetupAuthorization', description: 'The EIP-7702 authorization to sign.' })
export class SetupAuthorizationDto {
  @ApiAddress({ description: 'Implementation to delegate to.', example: examples.implementation })
  readonly contractAddress!: Address;

  @ApiInteger({ description: 'Chain id.', example: 8453 })
  readonly chainId!: number;
}

@ApiSchema({
  name: 'SetupGas',
  description:
    'Gas of the setup transaction, sufficient as given. A chain of the OP stack, as Base, takes its fee for L1 on top.',
})
export class SetupGasDto {
  @ApiBaseUnits({ description: 'Gas limit.', example: '400000' })
  readonly gasLimit!: string;

  @ApiBaseUnits({ description: 'Wei per gas.', example: '1000000000' })
  readonly maxFeePerGas!: string;

  @ApiBaseUnits({ description: 'Wei per gas.', example: '1000000' })
  readonly maxPriorityFeePerGas!: string;
}

@ApiSchema({
  name: 'Setup',
  description:
    'The setup transaction to sign. value is 0; the nonce is the next one of the wallet on the chain or fork that it acts ' +
    'on, from a node of it (fork-status shows rpcUrl); the nonce of the authorization is that plus 1.',
})
export class SetupBlockDto implements SetupBlock {
  @ApiChoice(setupTypes, {
    description: 'full: type 4 with the authorization; modules: type 2.',
    example: 'full',
  })
  readonly setupType!: SetupType;

  @ApiText({
    description: 'What the transaction does, in plain words.',
    example:
      'Sign a type-4 transaction to yourself on Base that delegates to the account implementation and installs the ' +
      'validator and executor modules and allows the paymaster up to 100 USDC for gas.',
  })
  readonly description!: string;

  @ApiObjectOrNull(SetupAuthorizationDto, { description: 'null for modules.' })
  readonly authorization!: SetupAuthorizationDto | null;

  @ApiHex({ description: 'Data of the transaction.', example: examples.initCalldata })
  readonly initCalldata!: Hex;

  @ApiAddress({ description: 'Recipient: the wallet itself.', example: examples.agentAddress })
  readonly to!: Address;

  @ApiObject(() => SetupGasDto, { description: 'Gas of the transaction.' })
  readonly gas!: SetupGasDto;
}

@ApiSchema({ name: 'PreparedSetupTicket', description: 'Pass it to setup-relay unchanged.' })
export class PreparedSetupTicketDto {
  @ApiConstant(1, { description: 'Version of the ticket.' })
  readonly version!: 1;

  @ApiAddress({ description: 'The EOA to set up.', example: examples.agentAddress })
  readonly walletAddress!: Address;

  @ApiInteger({ description: 'Chain id.', example: 8453 })
  readonly chainId!: number;

  @ApiAddress({ description: 'Smart account implementation.', example: examples.implementation })
  readonly implementation!: Address;

  @ApiHash32({ description: 'keccak256 of initCalldata.', example: examples.hash32 })
  readonly initCalldataHash!: Hex;

  @ApiChoice(setupTypes, { description: 'What to set up.', example: 'full' })
  readonly setupType!: SetupType;

  @ApiTimestamp({ description: 'When the ticket expires.', example: '2026-01-01T12:00:00.000Z' })
  readonly expiresAt!: string;
}

@ApiSchema({
  name: 'PreparedIntentEnvelope',
  description: 'Sign `signing` and pass the envelope to execute.',
})
export class PreparedIntentEnvelopeDto implements PreparedIntentEnvelope {
  @ApiConstant('1', { description: 'Version of the envelope.' })
  readonly version!: '1';

  @ApiHash32({ description: 'Same as merkleRoot.', example: examples.hash32 })
  readonly intentId!: string;

  @ApiInteger({ description: 'Chain id.', example: 8453 })
  readonly chainId!: number;

  @ApiAddress({ description: 'The entry point.', example: examples.entryPoint })
  readonly entryPoint!: Address;

  @ApiAddress({ description: 'The wallet.', example: examples.agentAddress })
  readonly sender!: Address;

  @ApiList(() => EnvelopeUserOperationDto, { description: 'One user operation.' })
  readonly userOps!: readonly EnvelopeUserOperationDto[];

  @ApiProperty({ type: 'array', items: {}, description: 'Empty.', example: [] })
  readonly destinationExecutions!: readonly unknown[];

  @ApiInteger({ description: 'Unix seconds after which the intent is dead.', example: 1767225600 })
  readonly expiry!: number;

  @ApiInteger({ description: 'Unix seconds before which the intent is not valid.', example: 0 })
  readonly validAfter!: number;

  @ApiHash32({ description: 'Root of the tree of operations.', example: examples.hash32 })
  readonly merkleRoot!: Hex;

  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: { type: 'string', pattern: hash32Pattern.source } },
    description: 'One Merkle proof for each operation.',
    example: [[]],
  })
  readonly proofs!: readonly (readonly Hex[])[];

  @ApiObject(() => IntentSigningDto, { description: 'EIP-712 payload to sign.' })
  readonly signing!: IntentSigningDto;
}

@ApiSchema({ name: 'Slippage', description: 'Least result that the chain enforces; base units.' })
export class SlippageDto {
  @ApiInteger({ description: 'Tolerance in basis points.', example: 50 })
  readonly maxSlippageBps!: number;

  @ApiBaseUnits({ description: 'Least result.', example: '24375000' })
  readonly minOut!: string;

  @ApiBaseUnits({ description: 'Expected result.', example: '24500000' })
  readonly quotedOut!: string;
}

@ApiSchema({ name: 'GasQuote', description: 'What the gas will cost; base units of the token.' })
export class GasQuoteDto {
  @ApiAddress({ description: 'Token that pays.', example: examples.usdc })
  readonly token!: Address;

  @ApiBaseUnits({ description: 'Never more than this.', example: '250000' })
  readonly maxAmount!: string;

  @ApiBaseUnits({ description: 'Expected amount.', example: '12300' })
  readonly expectedAmount!: string;
}

@ApiSchema({ name: 'Execution', description: 'The payload to sign and execute.' })
export class ExecutionDto implements Execution {
  @ApiObject(() => PreparedIntentEnvelopeDto, { description: 'The envelope to sign and submit.' })
  readonly intentEnvelope!: PreparedIntentEnvelopeDto;

  @ApiAddress({ description: 'The entry point.', example: examples.entryPoint })
  readonly to!: Address;

  @ApiHex({ description: 'callData of the operation.', example: '0x' })
  readonly calldata!: Hex;

  @ApiBaseUnits({ description: 'Sum of the gas limits of the operation.', example: '650000' })
  readonly estimatedGas!: string;

  @ApiObject(() => SlippageDto, { description: 'Least result that the chain enforces.' })
  readonly slippage!: SlippageDto;

  @ApiObject(() => GasQuoteDto, { description: 'What the gas will cost.' })
  readonly gasQuote!: GasQuoteDto;

  @ApiText({ description: 'What signing this does, in plain words.', example: 'Deposit 25 USDC into …' })
  readonly summary!: string;
}

@ApiSchema({ name: 'PrepareSetupResponse', description: 'The wallet needs a setup first; any operation.' })
export class PrepareSetupResponseDto implements PrepareSetupResponse {
  @ApiChoice(operations, { description: 'The operation asked for.', example: 'deposit' })
  readonly operation!: Operation;

  @ApiHash32({ description: 'Hash of the setup ticket.', example: examples.hash32 })
  readonly intentId!: Hex;

  @ApiConstant(true, { description: 'Sign the setup, call setup-relay, then prepare again.' })
  readonly needsSetup!: true;

  @ApiChoice(setupTypes, { description: 'What to set up.', example: 'full' })
  readonly setupType!: SetupType;

  @ApiObject(() => SetupStrategyDto, { description: 'The vault that the setup leads to.' })
  readonly strategy!: SetupStrategyDto;

  @ApiObject(() => SetupBlockDto, { description: 'The setup transaction to sign.' })
  readonly setup!: SetupBlockDto;

  @ApiObject(() => PreparedSetupTicketDto, { description: 'Pass it to setup-relay unchanged.' })
  readonly setupTicket!: PreparedSetupTicketDto;

  @ApiNull({ description: 'null until the wallet is set up.' })
  readonly execution!: null;

  @ApiNull({ description: 'null until the wallet is set up.' })
  readonly intentEnvelope!: null;

  @ApiObject(() => RebalanceSourceDto, { description: 'Rebalance only.', required: false })
  readonly source?: RebalanceSourceDto;

  @ApiObject(() => RebalanceTargetDto, { description: 'Rebalance only.', required: false })
  readonly target?: RebalanceTargetDto;
}

class PreparedExecutionDto {
  @ApiHash32({ description: 'Id of the intent: merkleRoot of the envelope.', example: examples.hash32 })
  readonly intentId!: Hex;

  @ApiConstant(false, { description: 'The wallet is set up.' })
  readonly needsSetup!: false;

  @ApiObject(() => ExecutionDto, { description: 'The payload to sign and execute.' })
  readonly execution!: ExecutionDto;
}

@ApiSchema({ name: 'PrepareDepositResponse', description: 'A deposit, ready to sign.' })
export class PrepareDepositResponseDto extends PreparedExecutionDto implements PrepareExecutionResponse {
  @ApiConstant('deposit', { description: 'The operation.' })
  readonly operation!: 'deposit';

  @ApiObject(() => ExecutionStrategyDto, { description: 'The vault deposited into.' })
  readonly strategy!: ExecutionStrategyDto;
}

@ApiSchema({ name: 'PrepareRedeemResponse', description: 'A redeem, ready to sign.' })
export class PrepareRedeemResponseDto extends PreparedExecutionDto implements PrepareExecutionResponse {
  @ApiConstant('redeem', { description: 'The operation.' })
  readonly operation!: 'redeem';
}

@ApiSchema({ name: 'PrepareRebalanceResponse', description: 'A rebalance, ready to sign.' })
export class PrepareRebalanceResponseDto extends PreparedExecutionDto implements PrepareExecutionResponse {
  @ApiConstant('rebalance', { description: 'The operation.' })
  readonly operation!: 'rebalance';

  @ApiObject(() => ExecutionStrategyDto, { description: 'The target vault.' })
  readonly strategy!: ExecutionStrategyDto;

  @ApiObject(() => RebalanceSourceDto, { description: 'The vault to leave.' })
  readonly source!: RebalanceSourceDto;

  @ApiObject(() => RebalanceTargetDto, { description: 'The recommended vault.' })
  readonly target!: RebalanceTargetDto;
}
