/** What an archive says about itself in its directory, before anything is unpacked. */
export interface ArchiveSizes {
  readonly entries: number
  /** The sum of all entries, unpacked. */
  readonly bytes: number
}

const [END, ENTRY] = [0x06054b50, 0x02014b50]
const [END_BYTES, ENTRY_BYTES, LONGEST_COMMENT] = [22, 46, 65_535]
/** The flag of an entry whose sizes may stand behind its data. */
const SIZES_BEHIND = 8

/**
 * Reads the directory of a ZIP archive; undefined where it cannot be read, or does not give every size. The library that unpacks an entry
 * stops at the size that the directory gives, so that these sizes are limits: one of zero beside compressed data would be none.
 */
export function archiveSizes(archive: Uint8Array): ArchiveSizes | undefined {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength)
  const end = endOf(view)
  if (end === undefined) return undefined
  const entries = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  let bytes = 0
  for (let i = 0; i < entries; i++) {
    if (at + ENTRY_BYTES > archive.length || view.getUint32(at, true) !== ENTRY) return undefined
    const [packed, unpacked] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)]
    const isUnknown = unpacked === 0 && (packed > 0 || (view.getUint16(at + 8, true) & SIZES_BEHIND) !== 0)
    if (isUnknown) return undefined
    bytes += unpacked
    at += ENTRY_BYTES + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return { entries, bytes }
}

/** Where the directory's end is described: the last such place, as the library takes it. */
function endOf(view: DataView): number | undefined {
  for (let at = view.byteLength - END_BYTES; at >= Math.max(0, view.byteLength - END_BYTES - LONGEST_COMMENT); at--)
    if (view.getUint32(at, true) === END) return at
  return undefined
}
