import { DriverError, withConflicting } from '../engine/errors.ts'
import type { Tables } from '../engine/tables.ts'
import { errorsOf, type SalesforceError } from './answered-errors.ts'

/** Salesforce has written it without an l for years. */
const resultIn = ({ duplicateResult, duplicateResut }: SalesforceError) => duplicateResult ?? duplicateResut

/** Which rule has refused it, and whether the option `duplicates` would help. */
export function ruleIn(error: SalesforceError): { readonly rule?: string; readonly hint?: string } {
  const { duplicateRule: rule, allowSave } = resultIn(error) ?? {}
  return {
    ...(rule !== undefined && { rule }),
    ...(allowSave !== undefined && { hint: allowSave ? ALLOWED : BLOCKED }),
  }
}

const ALLOWED = 'Change the record that is there; or set the option `duplicates` to `allow`, which lets through what this rule warns of.'
const BLOCKED = 'Change the record that is there. This rule blocks duplicates, also with the option `duplicates`; an admin can change it in Salesforce.'

/** A refusal by a duplicate rule, with the records that it has found, in as far as they are of a type of ours. */
export function withDuplicates<T>(result: T | DriverError, tables: Tables): T | DriverError {
  if (!(result instanceof DriverError)) return result
  const records = errorsOf(result).flatMap((error) => (resultIn(error)?.matchResults ?? []).flatMap(({ matchRecords = [] }) => matchRecords))
  const found = records.flatMap(({ record }) => {
    const [type] = Object.entries(tables).find(([, { object }]) => object === record?.attributes?.type) ?? []
    return type !== undefined && record?.Id !== undefined ? [{ type, id: record.Id }] : []
  })
  return found.length > 0 ? withConflicting(result, found) : result
}
