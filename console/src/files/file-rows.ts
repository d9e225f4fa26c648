import { CrmError } from 'crm-connector'
import { type FileRow, type FileRows, FORMATS, type Format, headed, type Piece, textRows } from 'crm-connector/files'
import { sheetLines } from './sheet.ts'

/** A file that was chosen, of which the rows can be read again and again, a piece at a time. */
export interface RowFile {
  readonly name: string
  readonly format: Format
  readonly delimiter?: string
  read(): AsyncGenerator<FileRows>
}

/** The endings that can be chosen. */
export const ENDINGS = Object.keys(FORMATS)

/** Read at once; a moment's work, so that the page stays awake. */
const PIECE = 64 * 1024

/** Opens a file by what its name ends with. */
export async function openFile(file: File, encoding?: string): Promise<RowFile> {
  const ending = /\.[^.]*$/.exec(file.name.toLowerCase())?.[0] ?? ''
  if (!Object.hasOwn(FORMATS, ending)) throw new CrmError('invalid_input', `${file.name} is none of the files that can be read: ${ENDINGS.join(', ')}.`)
  const format = FORMATS[ending as keyof typeof FORMATS]
  if (format === 'xlsx') return { name: file.name, format, read: () => headed(sheetLines(file), { isRagged: true }) }
  return { name: file.name, format, ...(await textRows(format, () => piecesOf(file, encoding))) }
}

async function* piecesOf(file: File, encoding: string | undefined): AsyncGenerator<Piece> {
  let decoder: TextDecoder | undefined
  for (let at = 0; at < file.size; at += PIECE) {
    const bytes = new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer())
    decoder ??= new TextDecoder(encoding ?? markedEncoding(bytes), { fatal: true })
    yield { text: decoded(decoder, bytes), isLast: false, part: Math.min(1, (at + bytes.length) / file.size) }
  }
  yield { text: decoder ? decoded(decoder) : '', isLast: true, part: 1 }
}

/** Excel marks the texts that it writes in UTF-16. */
function markedEncoding([first, second]: Uint8Array): string {
  return first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

/** A file is in another encoding than it was read in. */
export class OtherEncoding extends Error {}

function decoded(decoder: TextDecoder, bytes?: Uint8Array<ArrayBuffer>): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
  } catch {
    throw new OtherEncoding(`This is not ${decoder.encoding.toUpperCase()}. Excel in western Europe and America writes Windows-1252.`)
  }
}

/** Rows that the columns and the preview are taken from. */
const SAMPLE = 200

export async function sampleOf(file: RowFile): Promise<FileRow[]> {
  const sample: FileRow[] = []
  for await (const { rows } of file.read()) {
    sample.push(...rows)
    if (sample.length >= SAMPLE) break
  }
  if (sample.length === 0)
    throw new CrmError('invalid_input', `${file.name} has no rows. The first line names the columns, and every further line is a record.`)
  return sample.slice(0, SAMPLE)
}
