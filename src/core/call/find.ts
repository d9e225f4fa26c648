import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { findOperation } from '../../contract/operations.ts'
import type { Call, Service } from '../service.ts'
import { platformFor } from '../verbs/context.ts'
import { operationOn } from './extension.ts'
import type { Mode } from './types.ts'

/** The find step: the operation as it is on the caller's platform. */
export function find(service: Service, { operation: name, caller }: Call, { atomic }: Mode): Operation {
  const operation = findOperation(name)
  if (atomic && operation.effect === 'read') throw new CrmError('unsupported', 'An atomic batch takes only operations that write.')
  return operationOn(platformFor({ service, caller }, operation.record), operation)
}
