import { attachedIn } from '../../contract/records/event.ts'
import type { Platform } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { typeOn } from '../call/extension.ts'
import type { Written } from '../call/types.ts'
import type { RecordChange } from '../journal/changes.ts'
import { isMirrored, rowOf } from './mirrored.ts'
import type { Position } from './positions.ts'

/**
 * Brings the mirror up to what was just written through the connector, in the transaction of its audit line, so that the watch does not announce it again. Where the watch has
 * found it first, it is announced already.
 */
export async function mirrorWritten(writer: StoreWriter, platform: Platform, position: Position | undefined, written: Written): Promise<Written> {
  if (!position) return written
  const { change, also } = written
  const mirrored = (one: RecordChange) => mirrorChange(writer.inMirror(), platform, position, one)
  return {
    ...written,
    ...(also && { also: await inOrder(also, mirrored) }),
    ...(change && { change: await mirrored(change) }),
  }
}

async function mirrorChange(mirror: StoreWriter, platform: Platform, { types }: Position, change: RecordChange): Promise<RecordChange> {
  const { id, after, eventName } = change
  if (!isMirrored(change.record) || attachedIn(eventName) !== undefined) return change
  const type = typeOn(platform, change.record)
  const { name } = type
  const row = await mirror.get(name, id)
  if (!after) {
    if (row) await mirror.delete(name, id)
  } else if (row) await mirror.update(name, id, rowOf(type, after))
  else await mirror.create(name, rowOf(type, after))
  const isFound = types[name]?.isComplete === true && (eventName === 'created' ? row !== undefined : eventName === 'deleted' && row === undefined)
  return isFound ? { ...change, announced: true } : change
}

async function inOrder<T>(list: readonly T[], each: (one: T) => Promise<T>): Promise<T[]> {
  const done: T[] = []
  for (const one of list) done.push(await each(one))
  return done
}
