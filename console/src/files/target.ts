import { saveFile } from '../parts/save-file.ts'

/** Where an export goes. */
export interface Target {
  write(text: string): Promise<void>
  done(): Promise<void>
  /** Leaves nothing of it. */
  drop(): Promise<void>
}

interface FileHandle {
  createWritable(): Promise<{ write(text: string): Promise<void>; close(): Promise<void>; abort(): Promise<void> }>
}

type Picker = (options: { suggestedName: string; types: readonly object[] }) => Promise<FileHandle>

/**
 * A file of the user's own choice where the browser can write to one as it goes; elsewhere the browser collects it, in pieces that it may put aside, and
 * saves it in the end. Undefined where the user did not choose any.
 */
export async function targetFor(name: string, type: string): Promise<Target | undefined> {
  const pick = (window as { showSaveFilePicker?: Picker }).showSaveFilePicker
  if (!pick) return collected(name, type)
  try {
    const handle = await pick.call(window, { suggestedName: name, types: [{ accept: { [type]: [name.slice(name.lastIndexOf('.'))] } }] })
    const file = await handle.createWritable()
    return { write: (text) => file.write(text), done: () => file.close(), drop: () => file.abort() }
  } catch (error) {
    if ((error as Error).name === 'AbortError') return undefined
    return collected(name, type)
  }
}

function collected(name: string, type: string): Target {
  const parts: Blob[] = []
  return {
    async write(text) {
      parts.push(new Blob([text]))
    },
    async done() {
      saveFile(name, new Blob(parts, { type }))
    },
    async drop() {
      parts.length = 0
    },
  }
}
