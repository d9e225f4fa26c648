import { deflateRawSync } from 'node:zlib'
import { writeXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import { sheetLines } from '../../src/files/reading/sheet.ts'

const [END, ENTRY] = [Buffer.from('PK\x05\x06', 'latin1'), Buffer.from('PK\x01\x02', 'latin1')]
const HUGE = 300 * 1024 * 1024

const workbook = async () => Buffer.from(await writeXlsx({ sheets: [{ name: 'Leads', rows: [['FirstName'], ['Ada']] }] }))

/** The places of the directory's entries. */
function entriesIn(book: Buffer): number[] {
  const places: number[] = []
  for (let at = book.indexOf(ENTRY); at >= 0; at = book.indexOf(ENTRY, at + 1)) places.push(at)
  return places
}

const sheetIn = (book: Buffer) =>
  entriesIn(book).find((at) => book.toString('latin1', at + 46, at + 46 + book.readUInt16LE(at + 28)).includes('sheet1')) as number

/** A workbook whose sheet is this, packed, and said to have this size. */
async function withSheet(sheet: Buffer, size: number): Promise<Buffer> {
  const book = await workbook()
  const entry = sheetIn(book)
  const at = book.readUInt32LE(entry + 42)
  const begin = at + 30 + book.readUInt16LE(at + 26) + book.readUInt16LE(at + 28)
  const packed = deflateRawSync(sheet)
  const old = book.readUInt32LE(entry + 20)
  const moved = Buffer.concat([book.subarray(0, begin), packed, book.subarray(begin + old)])
  const by = packed.length - old
  for (const place of entriesIn(moved)) if (moved.readUInt32LE(place + 42) > at) moved.writeUInt32LE(moved.readUInt32LE(place + 42) + by, place + 42)
  const end = moved.lastIndexOf(END)
  moved.writeUInt32LE(moved.readUInt32LE(end + 16) + by, end + 16)
  const changed = entry + by
  moved.writeUInt16LE(8, changed + 10)
  moved.writeUInt32LE(0, changed + 16)
  moved.writeUInt32LE(packed.length, changed + 20)
  moved.writeUInt32LE(size, changed + 24)
  return moved
}

async function read(book: Buffer): Promise<unknown[]> {
  const rows: unknown[] = []
  for await (const { lines } of sheetLines({ name: 'book.xlsx', size: book.length, whole: async () => book } as never, undefined))
    rows.push(...lines.map(({ cells }) => cells))
  return rows
}

test('a workbook is read', async () => {
  expect(await read(await workbook())).toEqual([['FirstName'], ['Ada']])
})

test('one that says it unpacks to more than any workbook does is refused before it is unpacked', async () => {
  const book = await workbook()
  book.writeUInt32LE(HUGE, sheetIn(book) + 24)
  await expect(read(book)).rejects.toMatchObject({ code: 'too_large', message: expect.stringContaining('which is too much for a workbook') })
})

test('so is one of a few bytes that unpack to far more, and one of very many parts', async () => {
  const zeros = Buffer.alloc(9 * 1024 * 1024)
  await expect(read(await withSheet(zeros, zeros.length))).rejects.toMatchObject({ code: 'too_large' })
  const book = await workbook()
  const end = book.lastIndexOf(END)
  const entry = book.subarray(book.indexOf(ENTRY), end)
  const many = Buffer.concat([book.subarray(0, end), ...Array.from({ length: 2500 }, () => entry), book.subarray(end)])
  many.writeUInt16LE(book.readUInt16LE(end + 10) * 2501, many.lastIndexOf(END) + 10)
  await expect(read(many)).rejects.toMatchObject({ code: 'too_large' })
})

test.each([1_000, 0])('one that says it unpacks to %i bytes, and unpacks to more, is refused on the way', async (size) => {
  await expect(read(await withSheet(Buffer.alloc(9 * 1024 * 1024), size))).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('cannot be read as a workbook'),
  })
})

test('one whose directory is damaged is refused', async () => {
  const book = await workbook()
  book.writeUInt32LE(7, book.lastIndexOf(END) + 16)
  await expect(read(book)).rejects.toMatchObject({ code: 'invalid_input' })
  const without = await workbook()
  without.writeUInt32LE(0, without.lastIndexOf(END))
  await expect(read(without)).rejects.toMatchObject({ code: 'invalid_input' })
})
