import { createCipheriv, createDecipheriv, createHmac, randomFillSync } from 'node:crypto'
import { IdleCache } from '../../helpers/idle-cache.ts'
import type { Caller, Service } from '../service.ts'

/** How the places of events in the journal are shown to a caller. */
export interface Positions {
  /** The same for each event, whenever it is read. */
  eventId(number: number): string
  /** A cursor for the events after a number. */
  cursor(number: number): string
  /** The number of an EventID or a cursor; undefined for a text that the caller was not given. */
  read(text: string): number | undefined
  /** Whether a page without events is answered with the cursor that it was asked for. */
  stays(cursor: string): boolean
}

/** Callers who see every record are shown numbers. To others these would tell how many changes are made that they may not see. */
export const seesNumbers = ({ sees }: Caller) => sees === undefined

/** A number as an id that sorts the same way. */
export const numberId = (number: number) => String(number).padStart(12, '0')

/** The first two bytes of a block tell a token from any other text, and cursors from EventIDs. Then come 6 bytes of the number and, in a cursor, 4 of the time and 4 random ones. */
const EVENT = { prefix: 'evt_', mark: 0x6576 }
const CURSOR = { prefix: 'cur_', mark: 0x6375 }
const BLOCK = 16
const TOKEN = /^(evt_|cur_)([\w-]{22})$/

/**
 * A cursor that is younger stays the same while its reader has no new events, which is how a reader knows that there are none. After that another takes its
 * place, so that little is searched again. Neither depends on what others write. One from a process whose clock is ahead is young.
 */
const STAYS_MS = 60_000

/** How positions are shown in a workspace: to those who see numbers, and to others. */
interface Shown {
  readonly numbers: Positions
  readonly tokens: Positions
}

const byStore = new WeakMap<Service['store'], IdleCache<number, Shown>>()

export function positionsOf(service: Service, caller: Caller): Positions {
  const { number } = caller.workspace
  const workspaces = byStore.get(service.store) ?? new IdleCache<number, Shown>()
  byStore.set(service.store, workspaces)
  const shown = workspaces.get(number) ?? shownIn(service, number)
  workspaces.set(number, shown)
  return seesNumbers(caller) ? shown.numbers : shown.tokens
}

function shownIn(service: Service, workspace: number): Shown {
  const tokens = tokensOf(service, workspace)
  const numbers: Positions = {
    eventId: numberId,
    cursor: numberId,
    read: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : tokens.read(text)),
    stays: () => false,
  }
  return { numbers, tokens }
}

/**
 * Positions as encrypted blocks, with a key of the workspace: the EventID is the same for every caller, so that events can be told apart, and no two cursors are
 * the same, so that they do not show whether anything was written in between.
 */
function tokensOf({ store, now }: Service, workspace: number): Positions {
  const key = createHmac('sha256', store.secret).update(`positions of workspace ${workspace}`).digest().subarray(0, BLOCK)
  // One block at a time, and no two blocks with the same content but those that are meant to be equal: no mode of operation is needed.
  const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  const decipher = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false)

  function written({ prefix, mark }: typeof EVENT, number: number, block: Buffer): string {
    block.writeUInt16BE(mark, 0)
    block.writeUIntBE(number, 2, 6)
    return prefix + cipher.update(block).toString('base64url')
  }

  function blockOf(text: string): Buffer | undefined {
    const [, prefix, body = ''] = TOKEN.exec(text) ?? []
    if (prefix === undefined) return undefined
    const bytes = Buffer.from(body, 'base64url')
    const block = decipher.update(bytes)
    const { mark } = prefix === EVENT.prefix ? EVENT : CURSOR
    const isWritten = bytes.toString('base64url') === body && block.readUInt16BE(0) === mark && (mark === CURSOR.mark || block.readBigUInt64BE(8) === 0n)
    return isWritten ? block : undefined
  }

  return {
    eventId: (number) => written(EVENT, number, Buffer.alloc(BLOCK)),
    cursor(number) {
      const block = randomFillSync(Buffer.alloc(BLOCK))
      block.writeUInt32BE(Math.floor(now().getTime() / 1000), 8)
      return written(CURSOR, number, block)
    },
    // Before the first event: everyone may begin there.
    read: (text) => (/^0{1,15}$/.test(text) ? 0 : blockOf(text)?.readUIntBE(2, 6)),
    stays(cursor) {
      const block = cursor.startsWith(CURSOR.prefix) ? blockOf(cursor) : undefined
      return block !== undefined && now().getTime() - block.readUInt32BE(8) * 1000 < STAYS_MS
    },
  }
}
