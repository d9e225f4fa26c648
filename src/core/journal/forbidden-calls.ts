import { LIMITS } from '../../contract/limits.ts'
import type { AuditLine } from '../../platforms/store.ts'
import { shareOf } from '../call/budget.ts'
import type { Call, Service } from '../service.ts'

const WINDOW_MS = 60_000
/** How many keys are remembered. Of one that is forgotten, the refusals are lines again. */
const MAX_KEYS = 10_000

type Workspace = number

interface Window {
  readonly ends: number
  lines: number
}

interface Counted {
  readonly workspace: Workspace
  readonly line: AuditLine
  count: number
}

interface State {
  readonly windows: Map<string, Window>
  readonly counted: Map<string, Counted>
  timer?: NodeJS.Timeout | undefined
}

const states = new WeakMap<Service, State>()

function stateOf(service: Service): State {
  let state = states.get(service)
  if (!state) {
    state = { windows: new Map(), counted: new Map() }
    states.set(service, state)
  }
  return state
}

/**
 * Whether the refusal of a call that the caller may not make gets a line of its own: the first ones of a key in a minute do. Later ones are
 * counted, and the count is a line: within a minute, before the next read of the audit, and at the latest when the service closes.
 * Otherwise a key without any rights could fill the store, and make every write wait for a sync.
 */
export function hasLine(service: Service, { caller }: Call, line: AuditLine): boolean {
  const { windows, counted } = stateOf(service)
  const key = shareOf(caller)
  const now = service.now().getTime()
  let window = windows.get(key)
  if (!window || window.ends <= now) {
    windows.delete(key)
    if (windows.size >= MAX_KEYS) windows.delete(windows.keys().next().value ?? '')
    window = { ends: now + WINDOW_MS, lines: 0 }
    windows.set(key, window)
  }
  window.lines += 1
  if (window.lines <= LIMITS.refusals) return true
  const alike = [key, line.operation, line.transport, line.outcome].join()
  const one = counted.get(alike) ?? { workspace: caller.workspace.number, line: { ...line, recordId: null, requestId: null, idempotencyKey: null }, count: 0 }
  one.count += 1
  counted.set(alike, one)
  schedule(service)
  return false
}

function schedule(service: Service): void {
  const state = stateOf(service)
  state.timer ??= setTimeout(() => void recordCounts(service), WINDOW_MS).unref()
}

/** Writes the refusals that were only counted so far: a line for each operation of a key, with their number. */
export async function recordCounts(service: Service): Promise<void> {
  const state = stateOf(service)
  clearTimeout(state.timer)
  state.timer = undefined
  const all = [...state.counted.values()]
  state.counted.clear()
  for (const number of new Set(all.map(({ workspace }) => workspace))) {
    const lines = all.filter(({ workspace }) => workspace === number)
    // As with any refusal: where the store cannot be written to, the calls are refused all the same.
    await service.store
      .write(number, async (writer) => {
        for (const { line, count } of lines) await writer.appendAuditLine({ ...line, count })
      })
      .catch(() => {})
  }
}
