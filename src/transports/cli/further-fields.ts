import { type Command, CommanderError, Option } from 'commander'
import type { Crm } from '../../contract/client/client.ts'
import { CrmError } from '../../contract/errors.ts'
import { nearest } from '../../contract/names.ts'
import type { Operation } from '../../contract/operation.ts'
import { STORE_TYPES } from '../../contract/operations.ts'
import { describedPlatform, operationOn } from '../../core/call/extension.ts'
import { unlessForbidden } from '../../files/unless-forbidden.ts'
import type { Row } from './cells.ts'
import { inputsOf, isInput } from './flags.ts'

const FLAG = /^--([A-Za-z]\w*)(?=$|=)/

/** Accepts flags that may be fields which only this workspace or its CRM has, and returns their names. Whether they exist is checked against `describe` later. */
export function furtherFlags(command: Command, operation: Operation, words: readonly string[]): readonly string[] {
  if (operation.verb !== 'create' && operation.verb !== 'upsert') return []
  const known = ['help', ...command.options.flatMap(({ long }) => long?.slice(2) ?? [])]
  const names = [...new Set(words.flatMap((word) => FLAG.exec(word)?.[1] ?? []))].filter((name) => !known.includes(name))
  for (const name of names) command.addOption(new Option(`--${name} [value]`).hideHelp())
  return names
}

/** The operation with the fields of the platform. `describe` is called only where flags name what the contract does not have, or `always`. */
export async function operationAt(crm: Crm, operation: Operation, given: Row, always = false): Promise<Operation> {
  const isDoubtful = always || Object.keys(given).some((name) => name.includes('.') && !isInput(name, operation))
  return isDoubtful ? asDescribed(crm, operation) : operation
}

async function asDescribed(crm: Crm, operation: Operation): Promise<Operation> {
  const { name, owned, userDefined } = operation.record
  if (!owned || userDefined !== undefined || STORE_TYPES.includes(name)) return operation
  const described = await unlessForbidden(crm.describe({ RecordType: name }))
  return described ? operationOn(describedPlatform(described), operation) : operation
}

/** Refuses flags that are no fields after all, as the parser would have done. */
export function refuseFurther(names: readonly string[], operation?: Operation): void {
  const [stranger] = names.filter((name) => !operation || !Object.hasOwn(inputsOf(operation), name))
  if (stranger === undefined) return
  const [near] = operation ? nearest(stranger, Object.keys(inputsOf(operation))) : []
  // Those that are not in the contract are not in the help.
  if (operation && near !== undefined)
    throw new CrmError('invalid_input', `${operation.id} has no flag --${stranger}.`, {
      hint: `Did you mean --${near}? crm describe --RecordType ${operation.record.name} lists all fields.`,
    })
  throw new CommanderError(1, 'commander.unknownOption', `error: unknown option '--${stranger}'`)
}
