import type { Fault } from '../../../contract/errors.ts'
import type { Operation } from '../../../contract/operation.ts'
import { describedPlatform, operationOn } from '../../../core/call/extension.ts'
import { faultsOf } from '../../../core/call/schemas.ts'
import type { OtherFormat } from '../../../files/mapping/cell-value.ts'
import type { ImportPlan } from '../../../files/planning/import-plan.ts'

/** Checks inputs by the schemas of the contract, with the fields that the platform adds, before anything is sent. */
export function checksFor({ description }: ImportPlan): {
  readonly check: (operation: Operation, input: object) => readonly Fault[]
  readonly formatHint: (format: OtherFormat) => string
} {
  const platform = describedPlatform(description)
  return {
    check: (operation, input) => faultsOf(operationOn(platform, operation).input, input),
    formatHint: ({ setting, example }) => `--${setting} ${example} reads it`,
  }
}
