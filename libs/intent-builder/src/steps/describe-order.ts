import type {
  ExecutionStrategy,
  ListedVault,
  Operation,
  RebalanceSource,
  RebalanceTarget,
  SetupStrategy,
} from '@yield-vault/protocol';
import type { Order } from '../types.js';

interface Common {
  readonly operation: Operation;
  readonly source?: RebalanceSource;
  readonly target?: RebalanceTarget;
}

/** The descriptive part of the two kinds of answers: which vaults an order is about. */
export interface OrderDescription {
  readonly setup: Common & { readonly strategy: SetupStrategy };
  readonly execution: Common & { readonly strategy?: ExecutionStrategy };
}

/** Describe the vaults of an order. The strategy of a rebalance is about its target. */
export function describeOrder({ instruction, vault }: Order): OrderDescription {
  const { operation } = instruction;
  const subject = instruction.operation === 'rebalance' ? instruction.target : vault;
  const common: Common = {
    operation,
    ...(instruction.operation === 'rebalance'
      ? { source: describeSource(vault), target: describeTarget(instruction.target) }
      : {}),
  };
  const strategy: SetupStrategy = {
    vaultName: subject.name,
    expectedAPY: subject.apy.now,
    riskScore: subject.risk.level,
  };
  const { protocol, chain, tvlUsd } = subject;
  return {
    setup: { ...common, strategy },
    execution:
      operation === 'redeem'
        ? common
        : { ...common, strategy: { ...strategy, protocol, chain, tvl: tvlUsd } },
  };
}

function describeSource({ vaultId, name, apy, risk, tvlUsd }: ListedVault): RebalanceSource {
  return { vaultId, vaultName: name, apy, risk, tvlUsd };
}

/** Describe a vault with the score by which a rebalance compares it, as discover rounds it. */
export function describeTarget(vault: ListedVault): RebalanceTarget {
  const compositeScore = Math.round(vault.compositeScores.balanced * 100) / 100;
  return { ...describeSource(vault), compositeScore };
}
