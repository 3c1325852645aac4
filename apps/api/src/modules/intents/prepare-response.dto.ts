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
  type SetupTicket,
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
import { GaslessSetupDto } from './gasless-setup.dto.js';
import { ExecutionCostsDto, GasQuoteDto, SlippageDto } from './execution-quotes.dto.js';
import { EnvelopeUserOperationDto, IntentSigningDto } from './intent-envelope.dto.js';

@ApiSchema({ name: 'SetupStrategy', description: 'The vault that the setup leads to.' })
export class SetupStrategyDto implements SetupStrategy {
  @ApiText('Name of the vault.', examples.vaultName) readonly vaultName!: string;
  @ApiNumber('Current APY in percent.', 4.12) readonly expectedAPY!: number;
  @ApiChoice(riskLevels, 'Risk level.', 'low') readonly riskScore!: RiskLevel;
}

@ApiSchema({ name: 'Strategy', description: 'The vault that the operation moves funds to.' })
export class ExecutionStrategyDto extends SetupStrategyDto implements ExecutionStrategy {
  @ApiText('Protocol that runs the vault.', examples.protocol) readonly protocol!: string;
  @ApiText('Chain key.', 'base') readonly chain!: string;
  @ApiNumber('Assets under management, in USD.', 1250000) readonly tvl!: number;
}

@ApiSchema({ name: 'RebalanceSource', description: 'The vault to redeem from.' })
export class RebalanceSourceDto implements RebalanceSource {
  @ApiBaseUnits('Id of the vault.', examples.vaultId) readonly vaultId!: string;
  @ApiText('Name of the vault.', examples.vaultName) readonly vaultName!: string;
  @ApiObject(() => ApyDto, 'APY in percent.') readonly apy!: ApyDto;
  @ApiObject(() => RiskDto, 'Risk of the vault.') readonly risk!: RiskDto;
  @ApiNumber('Assets under management, in USD.', 1250000) readonly tvlUsd!: number;
}

@ApiSchema({ name: 'RebalanceTarget', description: 'The recommended vault.' })
export class RebalanceTargetDto extends RebalanceSourceDto implements RebalanceTarget {
  @ApiNumber('Ranking score from 0 to 100.', 87.42) readonly compositeScore!: number;
}

@ApiSchema({ name: 'SetupAuthorization', description: 'The EIP-7702 authorization to sign.' })
export class SetupAuthorizationDto {
  @ApiAddress('Implementation to delegate to.', examples.implementation) readonly contractAddress!: Address;
  @ApiInteger('Chain id.', 8453) readonly chainId!: number;
}

@ApiSchema({
  name: 'SetupGas',
  description:
    'Gas of the setup transaction, sufficient as given. A chain of the OP stack, as Base, takes its fee for L1 on top.',
})
export class SetupGasDto {
  @ApiBaseUnits('Gas limit.', '150000') readonly gasLimit!: string;
  @ApiBaseUnits('Wei per gas.', '1000000000') readonly maxFeePerGas!: string;
  @ApiBaseUnits('Wei per gas.', '1000000') readonly maxPriorityFeePerGas!: string;
}

@ApiSchema({
  name: 'Setup',
  description:
    'The setup transaction to sign. value is 0; the nonce is the next one of the wallet on the chain or fork that it acts ' +
    'on, from a node of it (fork-status shows rpcUrl); the nonce of the authorization is that plus 1.',
})
export class SetupBlockDto implements SetupBlock {
  @ApiChoice(setupTypes, 'full: type 4 with the authorization; modules: type 2.', 'full')
  readonly setupType!: SetupType;

  @ApiText(
    'What the transaction does, in plain words.',
    'Sign a type-4 transaction to yourself on Base that delegates to the account implementation and installs the ' +
      'validator and executor modules and allows the paymaster up to 100 USDC for gas.',
  )
  readonly description!: string;

  @ApiObjectOrNull(SetupAuthorizationDto, 'null for modules.')
  readonly authorization!: SetupAuthorizationDto | null;

  @ApiHex('Data of the transaction.', examples.initCalldata) readonly initCalldata!: Hex;
  @ApiAddress('Recipient: the wallet itself.', examples.agentAddress) readonly to!: Address;
  @ApiObject(() => SetupGasDto, 'Gas of the transaction.') readonly gas!: SetupGasDto;
}

@ApiSchema({ name: 'PreparedSetupTicket', description: 'Pass it to setup-relay unchanged.' })
export class PreparedSetupTicketDto implements SetupTicket {
  @ApiConstant(1, 'Version of the ticket.') readonly version!: 1;
  @ApiAddress('The EOA to set up.', examples.agentAddress) readonly walletAddress!: Address;
  @ApiInteger('Chain id.', 8453) readonly chainId!: number;
  @ApiAddress('Smart account implementation.', examples.implementation) readonly implementation!: Address;
  @ApiHash32('keccak256 of initCalldata.', examples.hash32) readonly initCalldataHash!: Hex;
  @ApiChoice(setupTypes, 'What to set up.', 'full') readonly setupType!: SetupType;
  @ApiTimestamp('When the ticket expires.', '2026-01-01T12:00:00.000Z') readonly expiresAt!: string;
}

@ApiSchema({
  name: 'PreparedIntentEnvelope',
  description: 'Sign `signing` and pass the envelope to execute.',
})
export class PreparedIntentEnvelopeDto implements PreparedIntentEnvelope {
  @ApiConstant('1', 'Version of the envelope.') readonly version!: '1';
  @ApiHash32('Same as merkleRoot.', examples.hash32) readonly intentId!: string;
  @ApiInteger('Chain id.', 8453) readonly chainId!: number;
  @ApiAddress('The entry point.', examples.entryPoint) readonly entryPoint!: Address;
  @ApiAddress('The wallet.', examples.agentAddress) readonly sender!: Address;

  @ApiList(() => EnvelopeUserOperationDto, 'One user operation.')
  readonly userOps!: readonly EnvelopeUserOperationDto[];

  @ApiProperty({ type: 'array', items: {}, description: 'Empty.', example: [] })
  readonly destinationExecutions!: readonly unknown[];

  @ApiInteger('Unix seconds after which the intent is dead.', 1767225600) readonly expiry!: number;
  @ApiInteger('Unix seconds before which the intent is not valid.', 0) readonly validAfter!: number;
  @ApiHash32('Root of the tree of operations.', examples.hash32) readonly merkleRoot!: Hex;

  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: { type: 'string', pattern: hash32Pattern.source } },
    description: 'One Merkle proof for each operation.',
    example: [[]],
  })
  readonly proofs!: readonly (readonly Hex[])[];

  @ApiObject(() => IntentSigningDto, 'EIP-712 payload to sign.') readonly signing!: IntentSigningDto;
}

@ApiSchema({ name: 'Execution', description: 'The payload to sign and execute.' })
export class ExecutionDto implements Execution {
  @ApiObject(() => PreparedIntentEnvelopeDto, 'The envelope to sign and submit.')
  readonly intentEnvelope!: PreparedIntentEnvelopeDto;

  @ApiAddress('The entry point.', examples.entryPoint) readonly to!: Address;
  @ApiHex('callData of the operation.', '0x') readonly calldata!: Hex;
  @ApiBaseUnits('Sum of the gas limits of the operation.', '650000') readonly estimatedGas!: string;
  @ApiObject(() => SlippageDto, 'Least result that the chain enforces.') readonly slippage!: SlippageDto;
  @ApiObject(() => GasQuoteDto, 'What the gas will cost.') readonly gasQuote!: GasQuoteDto;
  @ApiObject(() => ExecutionCostsDto, 'Expected costs in USD.') readonly costs!: ExecutionCostsDto;

  @ApiText(
    'What signing this does and costs, in plain words. Warns when the USDC left in the wallet will not pay for a redeem.',
    'Deposits 25 USDC into …',
  )
  readonly summary!: string;
}

@ApiSchema({ name: 'PrepareSetupResponse', description: 'The wallet needs a setup first; any operation.' })
export class PrepareSetupResponseDto implements PrepareSetupResponse {
  @ApiChoice(operations, 'The operation asked for.', 'deposit') readonly operation!: Operation;
  @ApiHash32('Hash of the setup ticket.', examples.hash32) readonly intentId!: Hex;
  @ApiConstant(true, 'Sign the setup, call setup-relay, then prepare again.') readonly needsSetup!: true;
  @ApiChoice(setupTypes, 'What to set up.', 'full') readonly setupType!: SetupType;

  @ApiObject(() => SetupStrategyDto, 'The vault that the setup leads to.')
  readonly strategy!: SetupStrategyDto;

  @ApiObject(() => SetupBlockDto, 'The setup transaction to sign.') readonly setup!: SetupBlockDto;

  @ApiObject(() => PreparedSetupTicketDto, 'Pass it to setup-relay unchanged.')
  readonly setupTicket!: PreparedSetupTicketDto;

  @ApiObjectOrNull(
    GaslessSetupDto,
    'Another way for a deposit that needs no ether: sign both, then call gasless-setup. null where there is none.',
  )
  readonly gaslessSetup!: GaslessSetupDto | null;

  @ApiNull('null when a setup is needed.') readonly execution!: null;
  @ApiNull('null when a setup is needed. The envelope of a wallet that is set up is in `execution`.')
  readonly intentEnvelope!: null;

  @ApiObject(() => RebalanceSourceDto, 'Rebalance only.', { required: false })
  readonly source?: RebalanceSourceDto;

  @ApiObject(() => RebalanceTargetDto, 'Rebalance only.', { required: false })
  readonly target?: RebalanceTargetDto;
}

class PreparedExecutionDto {
  @ApiHash32('Id of the intent: merkleRoot of the envelope.', examples.hash32) readonly intentId!: Hex;
  @ApiConstant(false, 'The wallet is set up.') readonly needsSetup!: false;
  @ApiObject(() => ExecutionDto, 'The payload to sign and execute.') readonly execution!: ExecutionDto;
}

@ApiSchema({ name: 'PrepareDepositResponse', description: 'A deposit, ready to sign.' })
export class PrepareDepositResponseDto extends PreparedExecutionDto implements PrepareExecutionResponse {
  @ApiConstant('deposit', 'The operation.') readonly operation!: 'deposit';

  @ApiObject(() => ExecutionStrategyDto, 'The vault deposited into.')
  readonly strategy!: ExecutionStrategyDto;
}

@ApiSchema({ name: 'PrepareRedeemResponse', description: 'A redeem, ready to sign.' })
export class PrepareRedeemResponseDto extends PreparedExecutionDto implements PrepareExecutionResponse {
  @ApiConstant('redeem', 'The operation.') readonly operation!: 'redeem';
}

@ApiSchema({ name: 'PrepareRebalanceResponse', description: 'A rebalance, ready to sign.' })
export class PrepareRebalanceResponseDto extends PreparedExecutionDto implements PrepareExecutionResponse {
  @ApiConstant('rebalance', 'The operation.') readonly operation!: 'rebalance';
  @ApiObject(() => ExecutionStrategyDto, 'The target vault.') readonly strategy!: ExecutionStrategyDto;
  @ApiObject(() => RebalanceSourceDto, 'The vault to leave.') readonly source!: RebalanceSourceDto;
  @ApiObject(() => RebalanceTargetDto, 'The recommended vault.') readonly target!: RebalanceTargetDto;
}
