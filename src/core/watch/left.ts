import type { Store, StoreWriter } from '../../platforms/store.ts'
import { eraseUnread } from './anew.ts'
import { LEFT_MIRROR, MIRROR_FEED, readPosition, writePosition } from './positions.ts'
import { MIRROR_WATCH } from './status.ts'

/** Leaves the mirror of a connection that is deleted to be erased, by the process that watches. It is not read from any more. */
export async function leaveMirror(writer: StoreWriter): Promise<void> {
  const position = await readPosition(writer)
  if (!position) return
  await writePosition(writer, { ...position, types: {}, isErasing: true })
  await writer.setPosition(LEFT_MIRROR, writer.now())
}

/** The workspaces whose mirror was left. */
export const leftMirrors = (store: Store): Promise<number[]> => store.workspacesAt(LEFT_MIRROR)

export async function eraseLeftMirror(store: Store, workspace: number, signal: AbortSignal): Promise<void> {
  if (!(await eraseUnread(store, workspace, signal))) return
  await store.write(workspace, async (writer) => {
    for (const name of [LEFT_MIRROR, MIRROR_FEED, MIRROR_WATCH]) await writer.setPosition(name, null)
  })
}
