import { CrmError } from '../../contract/errors.ts'
import { quote } from '../../contract/operations.ts'
import type { Piece } from './text-rows.ts'

/** A file, wherever it is read from. */
export interface FileSource {
  /** As messages call it; what it ends with is its format. */
  readonly name: string
  readonly size: number
  /** Its bytes from the beginning, a few kilobytes at a time. */
  pieces(): AsyncIterable<Uint8Array>
  whole(): Promise<Uint8Array>
}

/** A file is not in the encoding that it was read in. */
export class WrongEncoding extends CrmError {}

export interface Encoding {
  readonly encoding?: string | undefined
  /** What to do where the file has another encoding. */
  readonly encodingHint?: string | undefined
}

/** The text of a file, a piece at a time, without a byte order mark. */
export async function* textPieces({ name, size, pieces }: FileSource, { encoding, encodingHint }: Encoding): AsyncGenerator<Piece> {
  let decoder: TextDecoder | undefined
  let read = 0
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder?.decode(bytes, { stream: bytes !== undefined }) ?? ''
    } catch {
      throw new WrongEncoding('invalid_input', `${name} is not ${decoder?.encoding.toUpperCase()}.`, { ...(encodingHint && { hint: encodingHint }) })
    }
  }
  for await (const bytes of pieces()) {
    decoder ??= decoderFor(encoding ?? markedEncoding(bytes))
    read += bytes.length
    yield { text: decode(bytes), isLast: false, part: Math.min(1, read / size) }
  }
  yield { text: decode(), isLast: true, part: 1 }
}

function decoderFor(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true })
  } catch {
    throw new CrmError('invalid_input', `There is no encoding called ${quote(encoding)}.`, {
      hint: 'Common ones are utf-8, latin1, windows-1252 and utf-16le.',
    })
  }
}

/** By the byte order mark, which Excel writes in UTF-16. */
function markedEncoding([first, second]: Uint8Array): string {
  return first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}
