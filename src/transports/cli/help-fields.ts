import type { Command } from 'commander'
import type { Operation } from '../../contract/operation.ts'
import { searches } from '../../contract/operation.ts'
import { STORE_TYPES } from '../../contract/operations.ts'
import { describedPlatform, operationOn } from '../../core/call/extension.ts'
import { type Shell, settingsOf } from './app.ts'

/** How long help waits for the fields of the workspace. */
const WAIT_MS = 1500

export const isHelp = (words: readonly string[]) => words[0] === 'help' || words.includes('--help') || words.includes('-h')

/** Whether the input of an operation has fields of its record, to which a workspace may add its own. */
const takesFields = ({ verb, record }: Operation) =>
  record.owned &&
  record.userDefined === undefined &&
  !STORE_TYPES.includes(record.name) &&
  (verb === 'create' || verb === 'upsert' || verb === 'update' || searches({ verb }))

/**
 * The operation with the fields of the workspace, for its help. Without them where there is no store, where the caller may not read them, or where the
 * answer takes too long: help is given in any case, and soon.
 */
export async function operationForHelp(shell: Shell, operation: Operation, command: Command, words: readonly string[]): Promise<Operation> {
  if (!takesFields(operation)) return operation
  const late = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      late.abort()
      resolve(undefined)
    }, WAIT_MS)
  })
  const described = describedFor(shell, operation, command, words, late.signal).catch(() => undefined)
  const found = await Promise.race([described, tooLate])
  clearTimeout(timer)
  return found ?? operation
}

async function describedFor(shell: Shell, operation: Operation, command: Command, words: readonly string[], signal: AbortSignal): Promise<Operation> {
  command.parseOptions([...words])
  const { workspace } = command.opts<{ readonly workspace?: string }>()
  const crm = await shell.client(settingsOf(command, shell), { workspace, mustExist: true })
  try {
    return operationOn(describedPlatform(await crm.describe({ RecordType: operation.record.name }, { signal, retries: 0 })), operation)
  } finally {
    await crm.close()
  }
}
