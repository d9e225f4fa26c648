import type { Crm } from '../../../contract/client/client.ts'
import { CrmError, type Problem } from '../../../contract/errors.ts'
import { quote } from '../../../contract/operations.ts'
import { describedPlatform, typeOn } from '../../../core/call/extension.ts'
import type { LeftOut } from '../../../files/mapping/mapping.ts'
import { ownerLookup } from '../../../files/mapping/owners.ts'
import type { ImportPlan } from '../../../files/planning/import-plan.ts'
import { type PlannedRow, type RejectedRow, rejectedRow } from '../../../files/planning/planned-row.ts'
import { RowKeys } from '../../../files/planning/row-keys.ts'
import { createPlanner } from '../../../files/planning/row-planner.ts'
import { countRows, type RowFile } from '../../../files/reading/row-file.ts'
import type { FileRow } from '../../../files/reading/rows.ts'
import { withOwners } from '../../../files/sending/sender.ts'
import type { Row } from '../cells.ts'
import { askToGoOn } from '../input.ts'
import { type Io, isAttended, terminalWidth } from '../io.ts'
import { paintFor } from '../paint.ts'
import { tableLines } from '../table.ts'
import { inOneLine, tamed } from '../text.ts'
import { rowLines, type View } from '../views.ts'
import { checksFor } from './check.ts'
import { sha256 } from './digest.ts'

const SHOWN = 5

/** Shows which column becomes which field, and the first rows as they would be written. */
export async function showPreview(io: Io, crm: Crm, file: RowFile, sample: readonly FileRow[], plan: ImportPlan): Promise<void> {
  const view: View = {
    width: terminalWidth(io.stderr),
    paint: paintFor(io.stderr, io.env),
    record: typeOn(describedPlatform(plan.description), plan.target.type),
  }
  const first = sample.slice(0, SHOWN).map(createPlanner(plan, { keys: new RowKeys('', sha256), ...checksFor(plan) }))
  const planned = first.filter((row): row is PlannedRow => !('error' in row))
  const { records, refused } = await dryRun(crm, plan, planned)
  const bad = [...first.filter((row): row is RejectedRow => 'error' in row), ...refused].sort((a, b) => a.row.line - b.row.line)
  const lines = [
    ...mappingLines(file, plan, view),
    ...(records.length === 0 ? [] : ['', `The first rows would be written as:`, ...rowLines(records, view)]),
    ...(bad.length === 0 ? [] : ['', ...bad.map(({ row, error }) => view.paint.yellow(tamed(`Line ${row.line} would be rejected: ${error}`)))]),
  ]
  io.stderr.write(`${lines.join('\n')}\n\n`)
}

/** Rows as they would be written, by a dry run. */
async function dryRun(crm: Crm, { target }: ImportPlan, rows: readonly PlannedRow[]): Promise<{ records: Row[]; refused: RejectedRow[] }> {
  const { rows: planned, rejected: refused } = await withOwners(ownerLookup(crm), rows)
  if (planned.length === 0) return { records: [], refused }
  const Operations = planned.map(({ input }) => ({ Operation: target.create.id, Input: input }))
  const { Results } = await crm.batch({ Operations }, { dryRun: true })
  const { userDefined = '' } = target.type
  const records: Row[] = []
  for (const [i, row] of planned.entries()) {
    const { Result, Error: problem } = Results[i] as { Result?: { WouldWrite: Row }; Error?: Problem }
    if (problem) refused.push(rejectedRow(row.row, [{ message: problem.detail }]))
    else {
      const wouldWrite: Row = { ...Result?.WouldWrite, ...row.changes, ...row.attached }
      const names = [...target.fields.map(({ name }) => name), userDefined].filter((name) => name in wouldWrite)
      records.push(Object.fromEntries(names.map((name) => [name, wouldWrite[name]])))
    }
  }
  return { records, refused }
}

const STEPS = { create: '', update: 'set right after the record is created', attach: 'added to the record' } as const
const LEFT_OUT: { readonly [reason in LeftOut]: string } = {
  chosen: 'left out, as chosen',
  rejects: 'left out: it belongs to an earlier import',
  generated: 'left out: a new record gets its own',
  'no owner': 'left out: none of these users is here, and the records become yours',
  'second owner': 'left out: another column has the owners too',
  taken: 'left out: another column fits its field better',
  unknown: 'fits no field',
}
const DELIMITERS: { readonly [delimiter: string]: string } = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' }

function mappingLines({ name: path, delimiter }: RowFile, { target, mapping, custom, object }: ImportPlan, { width, paint }: View): string[] {
  const rows = mapping.columns.map(({ column, field, leftOut = 'unknown', several }) => {
    const definition = field?.isCustom ? custom?.definitionOf(object ?? '', field) : undefined
    const remark = definition
      ? `${definition.Type}${definition.isNew ? ', a new field' : ''}`
      : field
        ? STEPS[field.step]
        : leftOut === 'unknown' && several
          ? `is the label of ${several.join(' and ')}`
          : LEFT_OUT[leftOut]
    return [inOneLine(column), field?.name ?? '–', remark]
  })
  const separated = delimiter === undefined ? '' : `, separated by ${DELIMITERS[delimiter] ?? delimiter}`
  return [
    `${paint.bold(tamed(path))} → ${paint.bold(target.type.name)}${separated}`,
    '',
    ...tableLines([{ name: 'Column' }, { name: 'Field' }, { name: '' }], rows, width, paint),
  ]
}

/** Asks a person whether to import. Without one, --yes is needed, and --yes only imports a file whose columns are all mapped or left out. */
export async function confirmImport(io: Io, file: RowFile, { mapping }: ImportPlan, yes: boolean): Promise<void> {
  const open = mapping.columns.filter(({ leftOut }) => leftOut === 'unknown' || leftOut === 'taken').map(({ column }) => column)
  const without = open.length === 0 ? '' : ` without ${open.length === 1 ? 'the column' : 'the columns'} ${open.map(quote).join(', ')}`
  const labels = mapping.columns.flatMap(({ column, leftOut, several }) =>
    leftOut === 'unknown' && several ? [` ${quote(column)} is the label of ${several.join(' and ')}.`] : [],
  )
  if (yes && open.length > 0)
    throw new CrmError('invalid_input', `Nothing was imported: no field is known for ${open.map(quote).join(', ')}.${labels.join('')}`, {
      hint: `Name it with --map 'COLUMN=FIELD', or leave ${open.length === 1 ? 'it' : 'them'} out with --ignore ${quote(open.join(','))}.`,
    })
  if (yes) return
  if (!isAttended(io))
    throw new CrmError('invalid_input', 'Nothing was imported: an import has to be confirmed.', {
      hint: 'Use --yes to import it, or --dry-run to check all of it.',
    })
  const { count, fault } = await countRows(file)
  const rows = `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}`
  const question = fault ? `${tamed(fault.message)} Import the ${rows} before it${without}?` : `Import ${rows}${without}?`
  await askToGoOn(io, question, 'Nothing was imported.')
}
