import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { findOperation } from '../../contract/operations.ts'
import type { Home } from '../home.ts'
import type { Call } from '../service.ts'
import { operationOn } from './extension.ts'
import type { Mode } from './types.ts'

/** The find step: the operation as it is on the caller's platform. */
export function find(home: Home, { operation: name }: Call, { atomic }: Mode): Operation {
  const operation = findOperation(name)
  if (atomic && operation.effect === 'read') throw new CrmError('unsupported', 'An atomic batch takes only operations that write.')
  return operationOn(home.platformFor(operation.record), operation)
}
