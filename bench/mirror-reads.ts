import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { localAdmin } from '../src/core/access/authenticate.ts'
import { bootstrap } from '../src/core/access/bootstrap.ts'
import { execute } from '../src/core/call/execute.ts'
import { createService, DEFAULT_WATCH, type Service } from '../src/core/service.ts'
import { mirrorStore } from '../src/core/watch/mirrored.ts'
import type { Platform } from '../src/platforms/platform.ts'
import type { Store } from '../src/platforms/store.ts'
import { openSqlite } from '../src/platforms/stores/sqlite/sqlite.ts'
import { median } from './processes.ts'
import type { Result } from './report.ts'

const ROUNDS = 25
const SUMMARIES = 20
const PAGE = 1000
/** What a process knows of a mirror is younger than this. */
const KNOWN_MS = 1000
/** A summary of the CRM itself takes some minutes. */
const LONGEST_MS = 1_800_000

/** What is read, and how often in a round. */
const READS = [
  ['a filtered page of leads', 'get_many_leads', { Filters: { FirstName: 'Ada' }, OrderBy: 'LastName', Limit: 50 }, 5],
  ['a summary of leads', 'get_summary_of_leads', {}, SUMMARIES],
  ['a search', 'search', { Text: 'lovelace 4711' }, 3],
] as const

type Call = (operation: string, input: object) => Promise<void>

/** Reads from a mirror that is complete beside the same reads on our own store, and a summary from it beside one of the CRM itself. */
export async function mirrorReads(name: string, platform: Platform, mirrored: Store, folder: string, isCounted: boolean): Promise<Result[]> {
  const own = await openSqlite(join(folder, 'own.db'))
  try {
    const ours = await callerOf(createService({ platform: own, store: own }))
    await copyLeads(platform, mirrored, own, ours)
    const theirs = await callerOf(createService({ platform, store: mirrored, watch: DEFAULT_WATCH, callTimeoutMs: LONGEST_MS }))
    await sleep(KNOWN_MS)
    const results: Result[] = []
    for (const [what, operation, input, calls] of READS) {
      const times = await compared(operation, input, calls, theirs, ours)
      results.push({
        what: `${name}: ${what} from a mirror of 100,000`,
        ours: `${times.ours.toFixed(2)} ms`,
        other: `on our own store ${times.other.toFixed(2)} ms`,
        ratio: times.ratio,
        atLeast: 0.8,
      })
    }
    if (isCounted) results.push(await summaryBesideDirect(name, theirs))
    return results
  } finally {
    await own.close()
  }
}

async function callerOf(service: Service): Promise<Call> {
  await bootstrap(service).catch(() => undefined)
  const caller = await localAdmin(service)
  return async (operation, input) => {
    const { result } = await execute(service, { operation, input, caller })
    if (
      operation !== 'define_field' &&
      Object.hasOwn(result as object, 'AsOf') === (service.platform === service.store || (input as { Fresh?: boolean }).Fresh === true)
    )
      throw new Error(`${operation} was not answered from where it should be`)
  }
}

/** The median time of a call, and the ratio, of rounds that take turns. */
async function compared(operation: string, input: object, calls: number, mirror: Call, own: Call): Promise<{ ours: number; other: number; ratio: number }> {
  const times: { ours: number; other: number }[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const [ours, other] = [await timed(mirror, operation, input, calls), await timed(own, operation, input, calls)]
    // The first round fills caches.
    if (round > 0) times.push({ ours, other })
  }
  return {
    ours: median(times.map((one) => one.ours)),
    other: median(times.map((one) => one.other)),
    ratio: median(times.map((one) => one.other / one.ours)),
  }
}

async function timed(call: Call, operation: string, input: object, count: number): Promise<number> {
  const began = performance.now()
  for (let i = 0; i < count; i++) await call(operation, input)
  return (performance.now() - began) / count
}

async function summaryBesideDirect(name: string, call: Call): Promise<Result> {
  const mirror = await timed(call, 'get_summary_of_leads', {}, SUMMARIES)
  const direct = await timed(call, 'get_summary_of_leads', { Fresh: true }, 1)
  return {
    what: `${name}: a summary from the mirror`,
    ours: `${mirror.toFixed(2)} ms`,
    other: `from the CRM itself ${Math.round(direct)} ms`,
    ratio: direct / mirror,
    atLeast: 100,
  }
}

/** The same leads in a store of our own, where they were created one after another, with the fields that the account has beyond the contract's. */
export async function copyLeads(platform: Platform, mirrored: Store, own: Store, ours: Call): Promise<void> {
  const [from, to] = [mirrorStore(mirrored, platform), mirrorStore(own, platform)]
  const [admin] = (await own.reader(1).find('User', { where: [], order: { field: 'UserID', descending: false }, limit: 1 })).records
  const extras = Object.entries(platform.supports.extras.Lead ?? {})
  for (const [FieldName, { kind }] of extras) await ours('define_field', { RecordType: 'Lead', FieldName, Kind: kind === 'id' ? 'text' : kind })
  let after: { readonly value: string; readonly id: string } | undefined
  for (;;) {
    const order = { field: 'LeadID', descending: false }
    const { records, more } = await from.mirror(1).find('Lead', { where: [], order, limit: PAGE, ...(after && { after }) })
    await to.write(1, async (writer) => {
      for (const record of records) {
        const { id, at } = writer.newId()
        await writer.create('Lead', { ...record, LeadID: id, OwnerID: admin?.UserID, CreatedDate: at, UpdatedDate: at, Revision: 1 } as never)
      }
    })
    const last = records.at(-1)?.LeadID as string | undefined
    if (!more || last === undefined) return
    after = { value: last, id: last }
  }
}
