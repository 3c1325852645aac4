import type { SetupType } from '@yield-vault/protocol';
import type { WalletState } from '@yield-vault/smart-account';

/** Say which setup a wallet needs that is not configured. A foreign delegation is replaced. */
export function setupTypeOf(state: Exclude<WalletState, { kind: 'configured' }>): SetupType {
  return state.kind === 'modules-missing' ? 'modules' : 'full';
}
