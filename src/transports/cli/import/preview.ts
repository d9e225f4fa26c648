import type { Crm } from '../../../contract/client/client.ts'
import { CrmError, type Problem } from '../../../contract/errors.ts'
import { quote } from '../../../contract/operations.ts'
import type { PlannedRow } from '../../../files/planning/planned-row.ts'
import type { RejectedRow } from '../../../files/sending/reject-text.ts'
import { RowKeys } from '../../../files/planning/row-keys.ts'
import type { FileRow } from '../../../files/reading/rows.ts'
import type { Row } from '../cells.ts'
import { askToGoOn } from '../input.ts'
import { type Io, isAttended, terminalWidth } from '../io.ts'
import { paintFor } from '../paint.ts'
import { tableLines } from '../table.ts'
import { inOneLine, tamed } from '../text.ts'
import { rowLines, type View } from '../views.ts'
import { sha256 } from './digest.ts'
import { LEFT } from '../../../files/mapping/mapping.ts'
import { createPlanner } from '../../../files/planning/row-planner.ts'
import { type Draft, unsaid } from './plan.ts'
import { countRows, type RowFile } from '../../../files/reading/row-file.ts'

const SHOWN = 5

/** Shows which column becomes which field, and the first rows as they would be written. */
export async function showPreview(io: Io, crm: Crm, file: RowFile, sample: readonly FileRow[], draft: Draft): Promise<void> {
  const view: View = { width: terminalWidth(io.stderr), paint: paintFor(io.stderr, io.env), record: draft.destination.type }
  const plan = createPlanner({ ...draft, keys: new RowKeys('', sha256) })
  const first = sample.slice(0, SHOWN).map(plan)
  const planned = first.filter((row): row is PlannedRow => !('error' in row))
  const { records, refused } = await rehearsed(crm, draft, planned)
  const bad = [...first.filter((row): row is RejectedRow => 'error' in row), ...refused].sort((a, b) => a.row.line - b.row.line)
  const lines = [
    ...mappingLines(file, draft, view),
    ...(records.length === 0 ? [] : ['', `The first rows would be written as:`, ...rowLines(records, view)]),
    ...(bad.length === 0 ? [] : ['', ...bad.map(({ row, error }) => view.paint.yellow(tamed(`Line ${row.line} would be rejected: ${error}`)))]),
  ]
  io.stderr.write(`${lines.join('\n')}\n\n`)
}

/** Rows as they would be written, without anything being written. */
async function rehearsed(crm: Crm, { destination }: Draft, planned: readonly PlannedRow[]): Promise<{ records: Row[]; refused: RejectedRow[] }> {
  if (planned.length === 0) return { records: [], refused: [] }
  const Operations = planned.map(({ input }) => ({ Operation: destination.create.id, Input: input }))
  const { Results } = await crm.batch({ Operations }, { dryRun: true })
  const { userDefined = '' } = destination.type
  const records: Row[] = []
  const refused: RejectedRow[] = []
  for (const [i, row] of planned.entries()) {
    const { Result, Error: problem } = Results[i] as { Result?: { WouldWrite: Row }; Error?: Problem }
    if (problem) refused.push({ row: row.row, error: problem.detail })
    else {
      const wouldWrite: Row = { ...Result?.WouldWrite, ...row.changes, ...row.attached }
      const names = [...destination.slots.map(({ name }) => name), userDefined].filter((name) => name in wouldWrite)
      records.push(Object.fromEntries(names.map((name) => [name, wouldWrite[name]])))
    }
  }
  return { records, refused }
}

const STEPS = { create: '', update: 'set right after the record is made', attach: 'added to the record' } as const
const BETWEEN: { readonly [delimiter: string]: string } = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' }

function mappingLines({ path, delimiter }: RowFile, { destination, mapping, own, object }: Draft, { width, paint }: View): string[] {
  const rows = mapping.columns.map(({ column, slot, left }) => {
    const definition = slot?.isOwn ? own?.definitionOf(object ?? '', slot) : undefined
    const remark = definition ? `${definition.Type}${definition.isNew ? ', a new field' : ''}` : slot ? STEPS[slot.step] : LEFT[left ?? 'unknown']
    return [inOneLine(column), slot?.name ?? '–', remark]
  })
  const how = delimiter === undefined ? '' : `, separated by ${BETWEEN[delimiter] ?? delimiter}`
  return [
    `${paint.bold(tamed(path))} → ${paint.bold(destination.type.name)}${how}`,
    '',
    ...tableLines([{ name: 'Column' }, { name: 'Field' }, { name: '' }], rows, width, paint),
  ]
}

/** Asks a person whether to go on; whoever cannot be asked must have said so. */
export async function goAhead(io: Io, file: RowFile, { mapping }: Draft, yes: boolean): Promise<void> {
  const open = unsaid(mapping.columns)
  const without = open.length === 0 ? '' : ` without ${open.length === 1 ? 'the column' : 'the columns'} ${open.map(quote).join(', ')}`
  if (yes && open.length > 0)
    throw new CrmError('invalid_input', `Nothing was imported: nobody has said what to do with ${open.map(quote).join(', ')}.`, {
      hint: `Say it with --map 'COLUMN=FIELD', or leave ${open.length === 1 ? 'it' : 'them'} out with --ignore ${quote(open.join(','))}.`,
    })
  if (yes) return
  if (!isAttended(io))
    throw new CrmError('invalid_input', 'Nothing was imported: there is nobody to ask.', { hint: 'Say --yes to import it, or --dry-run to check all of it.' })
  const { count, fault } = await countRows(file)
  const rows = `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}`
  const question = fault ? `${tamed(fault.message)} Import the ${rows} before it${without}?` : `Import ${rows}${without}?`
  await askToGoOn(io, question, 'Nothing was imported.')
}
