export { ConfigError } from './config/config-error.js';
export { describeStartFailure } from './config/describe-start-failure.js';
export { parseLogLevel } from './config/parse-log-level.js';
export { readConfigFile } from './config/read-config-file.js';
export { rawBodyOf, UnreadableBody } from './nest/http/body-parser.js';
export { DeadlineInterceptor } from './nest/http/deadline.interceptor.js';
export { errorBody, type ErrorBody } from './nest/http/error-body.js';
export { errorStatus, statusesOf } from './nest/http/error-status.js';
export { ErrorFilter } from './nest/http/error.filter.js';
export { IntegerField, NumberField } from './nest/http/fields/number-fields.js';
export {
  addressPattern,
  digitsPattern,
  hash32Pattern,
  hexPattern,
  positiveIntegerPattern,
  quantityPattern,
  utcDateTimePattern,
} from './nest/http/fields/patterns.js';
export { QueryFlagField, QueryIntegerField } from './nest/http/fields/query-fields.js';
export { Rule } from './nest/http/fields/rule.js';
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
  type FieldDocs,
} from './nest/http/fields/text-fields.js';
export { EmptyQueryGuard, NoQueryGuard } from './nest/http/no-query.guard.js';
export { StrictInputPipe, validateInput } from './nest/http/strict-input.pipe.js';
export { invalidParameters } from './nest/http/violation.js';
export { createLogger, type LoggerOptions, type LogLevel } from './nest/logging/create-logger.js';
export { nestLogger } from './nest/logging/nest-logger.js';
export { secretsOf } from './nest/logging/secrets-of.js';
export {
  createHttpMetrics,
  type AnsweredRequest,
  type HttpMetrics,
} from './nest/metrics/create-http-metrics.js';
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
export { describeServer, type ServerDescription } from './nest/openapi/describe-server.js';
export { exampleOf } from './nest/openapi/example-of.js';
export { serveDocument } from './nest/openapi/serve-document.js';
export { createHttpAdapter, type HttpAdapterOptions } from './nest/server/create-http-adapter.js';
export type { RequestSettings } from './nest/server/fastify-options.js';
export { shutDownOnSignal } from './nest/server/shut-down-on-signal.js';
