import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { CrmError } from '../../contract/errors.ts'
import { exceededRefusal } from '../../contract/input-extent.ts'
import { LIMITS } from '../../contract/limits.ts'
import { type CutList, JsonExtent } from '../../helpers/json-extent.ts'
import { Turns } from '../../helpers/turns.ts'
import { notUtf8, parseMeasured, readBody } from './body.ts'
import { describeSyntaxErrorInTurns } from './json-syntax.ts'

/**
 * The input in the body of a batch. It is measured as it arrives, so that one which holds too much is refused before the rest of it has come,
 * and its calls are parsed some at a time, so that other callers have their turn in between. `beforeParsing` is told its bytes and values.
 */
export async function readBatchBody(request: IncomingMessage, beforeParsing: (bytes: number, values: number) => void): Promise<unknown> {
  const values = LIMITS.batchValues
  const extent = new JsonExtent({ values, depth: LIMITS.depth, items: LIMITS.batch, item: LIMITS.bodyBytes })
  const body = await readBody(request, LIMITS.batchBytes, (chunk) => {
    const exceeded = extent.add(chunk)
    return exceeded && exceededRefusal(exceeded, 'The body', values)
  })
  if (body instanceof CrmError) throw body
  if (!isUtf8(body)) throw notUtf8()
  beforeParsing(body.length, extent.count)
  if (extent.isComplete && !extent.cutList) return parseMeasured(body)
  try {
    if (extent.cutList && extent.isComplete) return await parseInTurns(body, extent.cutList)
  } catch {
    // Described below.
  }
  throw new CrmError('invalid_input', await describeSyntaxErrorInTurns(textOf(body)))
}

/** The text of a body, or of its beginning, without a byte order mark. */
const textOf = (body: Buffer, to?: number) => body.toString('utf8', 0, to).replace(/^\uFEFF/, '')

/** Stands for the items of the list while the rest is parsed; no caller knows it. */
const ITEMS = randomUUID()

/** Parses an object with a long list: first what is around the items, then the items piece by piece. */
async function parseInTurns(body: Buffer, { start, end, cuts }: CutList): Promise<unknown> {
  const input = JSON.parse(`${textOf(body, start)}"${ITEMS}"${body.toString('utf8', end)}`) as object
  const turns = new Turns()
  const items: unknown[] = []
  let from = start
  for (const to of [...cuts, end]) {
    await turns.pause()
    const piece = JSON.parse(`[${body.toString('utf8', from, to)}]`) as unknown[]
    if (piece.length === 0) throw new SyntaxError('There is nothing between two commas.')
    for (const item of piece) items.push(item)
    from = to + 1
  }
  for (const list of [input, ...Object.values(input)]) if (Array.isArray(list) && list[0] === ITEMS) replaceItems(list, items)
  return input
}

function replaceItems(list: unknown[], items: readonly unknown[]): void {
  list.length = 0
  for (const item of items) list.push(item)
}
