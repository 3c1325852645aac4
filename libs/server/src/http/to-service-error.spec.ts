import { HttpException } from '@nestjs/common';
import { toServiceError } from './to-service-error.js';

describe('toServiceError', () => {
  it.each([
    [400, 'INVALID_PARAMETERS'],
    [401, 'UNAUTHORIZED'],
    [404, 'NOT_FOUND'],
    [405, 'INVALID_PARAMETERS'],
    [413, 'BODY_TOO_LARGE'],
    [415, 'UNSUPPORTED_MEDIA_TYPE'],
    [429, 'RATE_LIMIT_EXCEEDED'],
    [500, 'INTERNAL'],
  ])('default: an exception of NestJS with status %i becomes %s', (status, code) => {
    expect(toServiceError(new HttpException('What was wrong.', status))).toMatchObject({ code });
  });
});
