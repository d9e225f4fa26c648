import { createReadStream } from 'node:fs'
import { CrmError } from '../../contract/errors.ts'
import { quote } from '../../contract/operations.ts'
import type { Piece } from './text-rows.ts'

/** Read at once; enough for a few hundred rows. */
const PIECE = 64 * 1024

/** The text of a file, a piece at a time, without the mark that some put at its beginning. */
export async function* textOf(path: string, size: number, encoding: string | undefined): AsyncGenerator<Piece> {
  let decoder: TextDecoder | undefined
  let read = 0
  for await (const bytes of createReadStream(path, { highWaterMark: PIECE }) as AsyncIterable<Buffer>) {
    decoder ??= decoderFor(encoding ?? markedEncoding(bytes))
    read += bytes.length
    yield { text: decoded(decoder, path, bytes), isLast: false, part: Math.min(1, read / size) }
  }
  yield { text: decoder ? decoded(decoder, path) : '', isLast: true, part: 1 }
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

/** Excel marks the texts that it writes in UTF-16. */
function markedEncoding([first, second]: Buffer): string {
  return first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

function decoded(decoder: TextDecoder, path: string, bytes?: Uint8Array): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
  } catch {
    throw new CrmError('invalid_input', `${path} is not ${decoder.encoding.toUpperCase()}.`, {
      hint: 'Save it as UTF-8, or say what it is: --encoding latin1 is what Excel writes in western Europe and America.',
    })
  }
}
