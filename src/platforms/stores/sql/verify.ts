import { RECORD_TYPES } from '../../../contract/operations.ts'
import type { AuditReport } from '../../store.ts'
import { earlierLinkAfter, imageDigest, type Link, linkAfter, type Unsealed } from './chain.ts'
import type { Fragment } from './conditions.ts'
import { quoted } from './tables.ts'

const PAGE = 1000
/** At most so many faults are reported. */
const FAULTS = 100

interface Chained extends Unsealed {
  readonly number: number
  readonly before: string | null
  readonly after: string | null
  readonly salt: string | null
  readonly seal: string
}

type Lines = readonly Record<string, unknown>[]

/** A chain as it is stored. */
interface Chain {
  readonly workspace: number
  /** What the first line follows; it moves on when old lines are removed. */
  beginning(): Promise<Link>
  /** The lines beyond one of them, by number and then by id. */
  lines(after: { readonly number: number; readonly changeId: string }, limit: number): Promise<Lines>
  /** Whether a record was erased after this line. */
  erased(recordId: string, after: number): Promise<boolean>
  unsealed(): Promise<number>
  /** Whether the workspace has records, each of which a line must have created. */
  hasRecords(): Promise<boolean>
  /** Whether lines are sealed in the transaction that writes them, so that a line without a number is a fault. */
  readonly sealsAtOnce: boolean
  readonly progress?: ((lines: number) => void) | undefined
  /** A head that was noted earlier, and must be part of the chain. */
  readonly expected?: Link | undefined
}

/** Selects a row where the workspace has a record of a type that only calls create; users and keys are also made with the workspace. */
export function anyRecord(workspace: number): Fragment {
  const tables = RECORD_TYPES.filter(({ owned }) => owned)
  return {
    sql: `${tables.map(({ name }) => `SELECT 1 AS one FROM ${quoted(name)} WHERE "Workspace" = ?`).join(' UNION ALL ')} LIMIT 1`,
    bind: tables.map(() => workspace),
  }
}

/** Verifies a chain from its beginning: which lines are altered, missing, or lack an image without having been erased. */
export async function verifyChain(chain: Chain): Promise<AuditReport> {
  const faults: { number: number; changeId: string | null; fault: string }[] = []
  let beginning = await chain.beginning()
  let last = beginning
  let at = { number: Number.MIN_SAFE_INTEGER, changeId: '' }
  let lines = 0
  /** Once a seal covers the workspace, all that follow must. */
  let covered = false
  const isSealed = (line: Chained) => {
    if (linkAfter(last, line, chain.workspace).seal !== line.seal) return !covered && earlierLinkAfter(last, line).seal === line.seal
    covered = true
    return true
  }
  const report = (number: number, changeId: string | null, fault: string) => {
    if (faults.length < FAULTS) faults.push({ number, changeId, fault })
  }

  const expect = ({ number, seal }: Link, changeId: string | null) => {
    if (number === chain.expected?.number && seal !== chain.expected.seal)
      report(number, changeId, 'This is not the line that was the head earlier: the chain has been rewritten.')
  }

  expect(beginning, null)
  for (;;) {
    const page = (await chain.lines(at, PAGE)) as unknown as readonly Chained[]
    for (const line of page) {
      lines++
      at = line
      if (line.number <= beginning.number) {
        report(line.number, line.changeId, 'This line is before the beginning of the chain.')
        continue
      }
      if (line.number > last.number + 1) {
        // Old lines may have been removed meanwhile.
        beginning = await chain.beginning()
        if (beginning.number > last.number) last = beginning
      }
      if (line.number === last.number) report(line.number, line.changeId, 'There are two lines with this number.')
      else if (line.number > last.number + 1) {
        const count = line.number - last.number - 1
        report(last.number + 1, null, count === 1 ? 'This line is missing.' : `${count} lines are missing from here on.`)
      } else if (!isSealed(line)) report(line.number, line.changeId, 'This line has been altered.')
      for (const [name, image, digest] of [
        ['Before', line.before, line.beforeDigest],
        ['After', line.after, line.afterDigest],
      ] as const) {
        if (imageDigest(line.salt, image) === digest) continue
        if (image !== null) report(line.number, line.changeId, `${name} has been altered.`)
        else if (line.recordId === null || !(await chain.erased(line.recordId, line.number)))
          report(line.number, line.changeId, `${name} is missing, although the record was not erased.`)
      }
      last = { number: line.number, seal: line.seal }
      expect(last, line.changeId)
    }
    chain.progress?.(lines)
    if (page.length < PAGE) break
    await new Promise(setImmediate)
  }
  const { expected } = chain
  if (expected && expected.number < beginning.number)
    report(expected.number, null, 'This head is older than the beginning of the chain, and can no longer be checked.')
  if (expected && expected.number > last.number) report(last.number + 1, null, `The chain ends here, and once went on to ${expected.number}.`)
  const unsealed = await chain.unsealed()
  if (unsealed > 0 && chain.sealsAtOnce)
    report(last.number + 1, null, unsealed === 1 ? 'A line has lost its number.' : `${unsealed} lines have lost their numbers.`)
  if (lines + unsealed + last.number === 0 && (await chain.hasRecords())) report(1, null, 'The audit is empty, although the workspace has records.')
  return { lines, head: last, unsealed, released: beginning.number, faults }
}
