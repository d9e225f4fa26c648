import type { RecordType } from '../../contract/record.ts'
import { cellOf, columnsOf, isRow, isShort, kindOf, type Row, shown } from './cells.ts'
import type { Paint } from './paint.ts'
import { type Column, headLine, layOut, rowLine, tableLines } from './table.ts'
import { inOneLine, padded, widthOf, wrapped } from './text.ts'

/** What an answer is shown with. */
export interface View {
  readonly width: number
  readonly paint: Paint
  /** What the answer is about; says of which kind its fields are. */
  readonly record?: RecordType | undefined
}

const INDENT = '  '
/** A name in the left column is followed by its value at most here. */
const WIDEST_NAME = 30

/** Any answer that is an object: what is short as names and values, what is a list as a table, and so on inwards. */
export function objectLines(answer: Row, view: View): string[] {
  const members = Object.entries(answer)
  const short = members.filter(([, value]) => isShort(value))
  const sections: string[][] = short.length > 0 ? [pairLines(short, view)] : []
  const done = new Set(short.map(([name]) => name))
  for (const [name, value] of members) {
    if (done.has(name)) continue
    done.add(name)
    if (Array.isArray(value)) sections.push(listLines(name, value, view))
    else if (isRow(value) && Object.values(value).every(isRow)) sections.push(titled(name, view, (inner) => rowLines(keyed(Object.entries(value)), inner)))
    else if (isRow(value)) {
      const alike = members.filter(([other, one]) => other === name || (!done.has(other) && isRow(one) && sameMembers(one, value)))
      for (const [other] of alike) done.add(other)
      sections.push(alike.length > 1 ? rowLines(keyed(alike), view) : titled(name, view, (inner) => objectLines(value, inner)))
    }
  }
  return sections.flatMap((lines, i) => (i === 0 ? lines : ['', ...lines]))
}

/** Rows under their columns. */
export function rowLines(rows: readonly Row[], view: View): string[] {
  return drawn(rows, view).lines
}

function drawn(rows: readonly Row[], { width, paint, record }: View): { readonly lines: string[]; readonly leftOut: readonly string[] } {
  const { columns, cells } = columnsOf(rows, record)
  const texts = rows.map(cells)
  const layout = layOut(columns, texts, width)
  return { lines: [headLine(layout, paint), ...texts.map((row) => rowLine(layout, row, paint))], leftOut: layout.leftOut }
}

/** Names and values in two columns; a long value goes on below itself. */
export function pairLines(pairs: readonly (readonly [string, unknown])[], { width, paint, record }: View): string[] {
  const column = Math.min(WIDEST_NAME, Math.max(...pairs.map(([name]) => widthOf(inOneLine(name)))))
  return pairs.flatMap(([name, value]) => {
    const text = shown(name, value, kindOf(record, name))
    const lines =
      value === null || (Array.isArray(value) && value.length === 0) ? [paint.dim('–')] : wrapped(text, Math.max(20, width - column - INDENT.length))
    return lines.map((line, i) => (i === 0 ? paint.bold(padded(inOneLine(name), column)) : ' '.repeat(column)) + INDENT + line)
  })
}

/** What a write would change. */
export function differenceLines({ WouldWrite, Difference }: Row, view: View): string[] {
  const changes = isRow(Difference) ? Object.entries(Difference) : []
  if (changes.length === 0) return isRow(WouldWrite) ? objectLines(WouldWrite, view) : []
  const columns: Column[] = [{ name: 'Field' }, { name: 'From' }, { name: 'To' }]
  const say = (name: string, value: unknown) => (value === null ? '–' : cellOf(name, value, kindOf(view.record, name)))
  return tableLines(
    columns,
    changes.map(([name, change]) => [name, say(name, isRow(change) ? change.From : null), say(name, isRow(change) ? change.To : null)]),
    view.width,
    view.paint,
  )
}

/** What a plan for a batch would do: how many of which calls, and what they take away. */
export const batchLines = ({ Calls, Deletes, Updates, Differences, Names, Removed, Undoable }: Row, view: View): string[] =>
  objectLines(
    { Calls, Deletes, ...(Updates !== undefined && { Updates, Differences }), Names, ...(Object.keys(Object(Removed)).length > 0 && { Removed }), Undoable },
    view,
  )

function listLines(name: string, list: readonly unknown[], view: View): string[] {
  const rows = list.filter(isRow)
  if (rows.every((row) => Object.values(row).every(isShort))) {
    const { lines, leftOut } = drawn(rows, { ...view, width: view.width - INDENT.length })
    const remark = leftOut.length === 0 ? '' : view.paint.dim(`  without ${leftOut.join(', ')}`)
    return [view.paint.bold(name) + remark, ...lines.map((line) => INDENT + line)]
  }
  return rows.flatMap((row, i) => {
    const [[, title] = ['', i]] = Object.entries(row)
    return [...(i === 0 ? [] : ['']), ...titled(`${name}: ${shown('', title)}`, view, (inner) => objectLines(row, inner))]
  })
}

function titled(title: string, view: View, lines: (inner: View) => readonly string[]): string[] {
  return [view.paint.bold(inOneLine(title)), ...lines({ ...view, width: view.width - INDENT.length }).map((line) => (line === '' ? '' : INDENT + line))]
}

/** Each member as a row that begins with its name. */
const keyed = (members: readonly (readonly [string, unknown])[]) => members.map(([name, value]): Row => ({ '': name, ...(isRow(value) ? value : {}) }))

const sameMembers = (one: Row, other: Row) =>
  Object.keys(one).join() === Object.keys(other).join() && [...Object.values(one), ...Object.values(other)].every(isShort)
