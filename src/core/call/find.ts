import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { findOperation } from '../../contract/operations.ts'
import type { Binding } from '../binding.ts'
import type { Call } from '../service.ts'
import { operationOn } from './extension.ts'
import type { Mode } from './types.ts'

/** The find step: the operation as it is on the caller's platform. */
export function find(binding: Binding, { operation: name }: Call, { atomic }: Mode): Operation {
  const operation = findOperation(name)
  if (atomic && operation.effect === 'read') throw new CrmError('unsupported', 'An atomic batch takes only operations that write.')
  return operationOn(binding.platformFor(operation.record), operation)
}
