export { createForkManager, type ForkManagerOptions } from './create-fork-manager.js';
export {
  createForkRpcHandler,
  forkRpcBodyLimit,
  type ForkRpcHandler,
  type ForkRpcTarget,
  type RpcResponse,
} from './rpc/create-fork-rpc-handler.js';
