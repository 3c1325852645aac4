export { rawBodyOf, UnreadableBody } from './nest/http/body-parser.js';
export { errorBody, shortenTexts } from './nest/http/error-body.js';
export { errorStatus, statusesOf } from './nest/http/error-status.js';
export { ErrorFilter } from './nest/http/error.filter.js';
export { Rule } from './nest/http/fields/field.js';
export {
  IntegerField,
  NumberField,
  QueryFlagField,
  QueryIntegerField,
} from './nest/http/fields/number-fields.js';
export {
  digitsPattern,
  hash32Pattern,
  positiveIntegerPattern,
  utcDateTimePattern,
} from './nest/http/fields/patterns.js';
export {
  AnyArrayField,
  AnyField,
  ArrayField,
  ConstantField,
  MatrixField,
  ObjectField,
} from './nest/http/fields/structure-fields.js';
export {
  AddressField,
  ChoiceField,
  Hash32Field,
  HexField,
  PatternField,
  QuantityField,
  TextField,
} from './nest/http/fields/text-fields.js';
export { EmptyQueryGuard, NoQueryGuard } from './nest/http/no-query.guard.js';
export { StrictInputPipe } from './nest/http/strict-input.pipe.js';
export { createLogger, nestLogger } from './nest/logging/create-logger.js';
export { createHttpMetrics, type HttpMetrics } from './nest/metrics/create-http-metrics.js';
export { serveMetrics } from './nest/metrics/serve-metrics.js';
export { ApiErrors } from './nest/openapi/api-errors.decorator.js';
export {
  ApiAddress,
  ApiBaseUnits,
  ApiBoolean,
  ApiChoice,
  ApiConstant,
  ApiDecimal,
  ApiHash32,
  ApiHex,
  ApiInteger,
  ApiList,
  ApiNull,
  ApiNumber,
  ApiObject,
  ApiObjectOrNull,
  ApiOrNull,
  ApiText,
  ApiTexts,
  ApiTimestamp,
} from './nest/openapi/api-fields.js';
export { describeServer } from './nest/openapi/describe-server.js';
export { PaymentRequirementsDto } from './nest/openapi/error.dto.js';
export { exampleOf } from './nest/openapi/example-of.js';
export { serveDocument } from './nest/openapi/serve-document.js';
export { createHttpAdapter } from './nest/server/create-http-adapter.js';
export { shutDownOnSignal } from './nest/server/shut-down-on-signal.js';
export { cacheFor, withTimeout } from './timing.js';
