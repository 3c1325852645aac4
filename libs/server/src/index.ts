export { rawBodyOf, UnreadableBody } from './http/body-parser.js';
export { errorBody, shortenTexts } from './http/error-body.js';
export { errorStatus, statusesOf } from './http/error-status.js';
export { ErrorFilter } from './http/error.filter.js';
export { Rule } from './http/fields/field.js';
export {
  IntegerField,
  NumberField,
  QueryDecimal,
  QueryFlagField,
  QueryIntegerField,
} from './http/fields/number-fields.js';
export {
  AnyArrayField,
  AnyField,
  ArrayField,
  ConstantField,
  MatrixField,
  ObjectField,
} from './http/fields/structure-fields.js';
export {
  AddressesField,
  AddressField,
  ChoiceField,
  DigitsField,
  Hash32Field,
  HexField,
  PatternField,
  QuantityField,
  TextField,
} from './http/fields/text-fields.js';
export { EmptyQueryGuard, PostQueryGuard, TakesQuery } from './http/empty-query.guard.js';
export { abortWhenCallerLeaves } from './http/request.js';
export { StrictInputPipe } from './http/strict-input.pipe.js';
export { createLogger, nestLogger } from './logging/create-logger.js';
export { createHttpMetrics, type HttpMetrics } from './metrics/create-http-metrics.js';
export { measureDatabase, measureUpstreams } from './metrics/measure-infrastructure.js';
export { serveMetrics } from './metrics/serve-metrics.js';
export { ApiErrors } from './openapi/api-errors.decorator.js';
export { describeServer } from './openapi/describe-server.js';
export { exampleOf } from './openapi/example-of.js';
export { OkResponse } from './openapi/ok-response.decorator.js';
export { serveDocument } from './openapi/serve-document.js';
export { createHttpAdapter } from './server/create-http-adapter.js';
export { shutDownOnSignal } from './server/shut-down-on-signal.js';
export { endWithin, withTimeout } from './timing.js';
