import type { FileSource } from 'crm-connector/files'

/** Small enough that the page stays responsive. */
const PIECE = 64 * 1024

/** A file that was chosen in the browser. */
export function fileSource(file: File): FileSource {
  return {
    name: file.name,
    size: file.size,
    async *pieces() {
      for (let at = 0; at < file.size; at += PIECE) yield new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer())
    },
    whole: async () => new Uint8Array(await file.arrayBuffer()),
  }
}
