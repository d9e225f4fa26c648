import { saveFile } from '../parts/save-file.ts'

type Piece = string | Uint8Array

/** Where an export goes. */
export interface Target {
  write(piece: Piece): Promise<void>
  done(): Promise<void>
  /** Leaves nothing of it. */
  drop(): Promise<void>
}

interface FileHandle {
  createWritable(): Promise<{ write(piece: Piece): Promise<void>; close(): Promise<void>; abort(): Promise<void> }>
}

type Picker = (options: { suggestedName: string; types: readonly object[] }) => Promise<FileHandle>

const picker = () => (window as { showSaveFilePicker?: Picker }).showSaveFilePicker

/** Whether the browser can write to a file of the user's own choice. */
export const canChoosePlace = (): boolean => picker() !== undefined

/** A file of the user's own choice, which is written as it goes and never held as a whole. Undefined where the user did not choose any. */
export async function chosenPlace(name: string, type: string): Promise<Target | undefined> {
  const pick = picker()
  if (!pick) return download(name, type)
  try {
    const handle = await pick.call(window, { suggestedName: name, types: [{ accept: { [type]: [name.slice(name.lastIndexOf('.'))] } }] })
    const file = await handle.createWritable()
    return { write: (piece) => file.write(piece), done: () => file.close(), drop: () => file.abort() }
  } catch (error) {
    if ((error as Error).name === 'AbortError') return undefined
    return download(name, type)
  }
}

/** The browser collects it, in pieces that it may put aside, and saves it in the end where it saves everything. */
export function download(name: string, type: string): Target {
  const parts: Blob[] = []
  return {
    async write(piece) {
      parts.push(new Blob([piece as BlobPart]))
    },
    async done() {
      saveFile(name, new Blob(parts, { type }))
    },
    async drop() {
      parts.length = 0
    },
  }
}
