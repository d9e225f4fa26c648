import { Key } from '../../contract/records/key.ts'
import { getRecord } from '../call/records.ts'
import type { Caller, Service } from '../service.ts'

/** The use of a key is stored once in this time, so that a key in use costs one small write a minute. */
const EVERY_MS = 60_000
/** How long uses are collected before they are written together. */
const COLLECT_MS = 2_000

export interface KeyUse {
  /** Notes a call. It takes no time: what is to be stored is written later. */
  note(caller: Pick<Caller, 'keyId' | 'workspace'>): void
  /** Writes what was noted, and ends. */
  stop(): Promise<void>
}

/** Stores when each key was last used, to the minute. Where the store refuses it, that use is lost: calls report what is wrong with the store. */
export function startKeyUse(service: Service, collectMs = COLLECT_MS): KeyUse {
  /** Until when no further use of a key is noted, in milliseconds since 1970. */
  const quietUntil = new Map<string, number>()
  let noted = new Map<number, Map<string, string>>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function write(): void {
    clearTimeout(timer)
    timer = undefined
    const now = Date.now()
    for (const [keyId, until] of quietUntil) if (until <= now) quietUntil.delete(keyId)
    const uses = noted
    noted = new Map()
    writing = writing.then(() => store(uses)).catch(() => {})
  }

  async function store(uses: typeof noted): Promise<void> {
    for (const [workspace, byKey] of uses)
      await service.store.write(workspace, async (writer) => {
        for (const [keyId, at] of byKey) {
          const key = await getRecord(writer, Key, keyId)
          if (key && (key.LastUsedDate ?? '') < at) await writer.update(Key.name, keyId, { LastUsedDate: at })
        }
      })
  }

  return {
    note({ keyId, workspace: { number } }) {
      const now = Date.now()
      if (keyId === null || now < (quietUntil.get(keyId) ?? 0)) return
      quietUntil.set(keyId, now + EVERY_MS)
      noted.set(number, (noted.get(number) ?? new Map<string, string>()).set(keyId, service.now().toISOString()))
      timer ??= setTimeout(write, collectMs).unref()
    },
    async stop() {
      write()
      await writing
    },
  }
}
