import { basename, extname } from 'node:path'
import type { Crm } from '../../../contract/client/client.ts'
import { CrmError, type Fault } from '../../../contract/errors.ts'
import { nearest } from '../../../contract/names.ts'
import { quote } from '../../../contract/operations.ts'
import type { CustomType } from '../../../contract/records/custom-object.ts'
import type { CellFormats } from '../../../files/mapping/cell-value.ts'
import { bare } from '../../../files/mapping/column-names.ts'
import { CUSTOM_TYPE_NAMES } from '../../../files/mapping/custom-fields.ts'
import { IMPORT_TARGETS, type ImportTarget, matchFields, type TargetField, targetNamed, targetsFor } from '../../../files/mapping/import-target.ts'
import { mapColumns } from '../../../files/mapping/mapping.ts'
import {
  absentOwnerColumn,
  type Choices,
  customFieldsOf,
  type ImportPlan,
  type Preparation,
  planImport,
  prepareImport,
} from '../../../files/planning/import-plan.ts'
import { columnsIn, type RowFile, type Sample } from '../../../files/reading/row-file.ts'

/** What the flags say about a file. */
export interface PlanFlags {
  readonly type?: string
  readonly object?: string
  readonly map: ReadonlyMap<string, string>
  readonly ignore: readonly string[]
  readonly define: ReadonlyMap<string, string>
  readonly match?: readonly string[]
  readonly numbers: CellFormats['numbers']
  readonly dates: CellFormats['dates']
}

/** Plans the import of a file from its name, its first rows, the flags, and what the workspace has defined. */
export async function planFor(crm: Crm, file: RowFile, sample: Sample, flags: PlanFlags): Promise<ImportPlan> {
  const { type } = targetOf(file, sample, flags)
  const prepared = (await prepareImport(crm, type, sample, { object: flags.object })) as Preparation
  if (flags.match && !prepared.upserting)
    throw new CrmError('invalid_input', `Records of type ${type.name} cannot be matched: there is no operation that upserts them.`, {
      hint: 'Leave --match out.',
    })
  const formats = { numbers: flags.numbers, dates: flags.dates, numbersAsText: file.format === 'xlsx' }
  const choices: Choices = { ...readChoices(prepared, flags), types: readTypes(flags.define), formats, matchBy: readMatch(prepared, flags) }
  const plan = planImport(prepared, choices)
  refuseConflicts(plan)
  refuseMissing(plan, file)
  refuseUnmatched(plan, file)
  const absentOwner = await absentOwnerColumn(crm, plan)
  return absentOwner === undefined ? plan : planImport(prepared, { ...choices, absentOwner })
}

function targetOf({ name: path }: RowFile, sample: Sample, { type, object }: PlanFlags): ImportTarget {
  const named = type ?? (object === undefined ? undefined : 'CustomObject')
  const names = IMPORT_TARGETS.map((one) => one.type.name)
  if (named !== undefined) {
    const found = targetNamed(named)
    if (found) return found
    const [near] = nearest(named, names)
    throw new CrmError('invalid_input', `Records of type ${quote(named)} cannot be imported.`, {
      hint: `--type is one of ${names.join(', ')}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
    })
  }
  const columns = columnsIn(sample.rows, sample.names)
  const [only, ...others] = targetsFor(basename(path, extname(path)), columns, (one) => {
    const mapping = mapColumns(one, columns, {})
    return mapping.missing.length > 0 ? undefined : mapping.columns.filter(({ field }) => field).length
  })
  if (only && others.length === 0) return only
  const shown = columns.slice(0, 12).map(quote).join(', ')
  throw new CrmError('invalid_input', `Neither the name of ${path} nor its columns show what its rows are: ${shown}.`, {
    hint: `Name it with --type: ${names.join(', ')}.`,
  })
}

/** The fields that --map names for columns, and the columns that --ignore leaves out. */
function readChoices(prepared: Preparation, { map, ignore }: PlanFlags): Pick<Choices, 'chosen' | 'ignoreUnknown'> {
  const { target, columns } = prepared
  const custom = customFieldsOf(prepared)
  const faults: Fault[] = []
  const chosen = new Map<string, TargetField | null>()
  const columnNamed = (name: string, flag: string) => {
    const column = columns.find((one) => one === name) ?? columns.find((one) => bare(one) === bare(name))
    if (column === undefined) faults.push(unknown(flag, name, columns, 'column'))
    return column
  }
  const fieldNames = target.fields.map(({ name }) => name)
  for (const [from, to] of map) {
    const column = columnNamed(from, '--map')
    const field = target.fields.find(({ name }) => bare(name) === bare(to)) ?? custom?.fieldFor(to)
    if (!field) faults.push(unknown('--map', to, fieldNames, `field of ${target.type.name} to import to`))
    else if (column !== undefined) chosen.set(column, field)
  }
  const ignored = ignore.flatMap((names) => (columns.includes(names) ? [names] : names.split(',').map((name) => name.trim())))
  for (const name of ignored) {
    const column = name === '*' ? undefined : columnNamed(name, '--ignore')
    if (column !== undefined) chosen.set(column, null)
  }
  if (faults.length > 0) throw new CrmError('invalid_input', `--map or --ignore is wrong: ${faults[0]?.message}`, { errors: faults })
  return { chosen, ignoreUnknown: ignored.includes('*') }
}

function unknown(field: string, name: string, names: readonly string[], what: string): Fault {
  const [near] = nearest(name, names)
  const expected = names.slice(0, 30).join(', ')
  return { field, code: 'unknown', message: `There is no ${what} called ${quote(name)}.`, expected, ...(near !== undefined && { didYouMean: near }) }
}

/** The types that --define gives to new fields. */
function readTypes(define: PlanFlags['define']): Map<string, CustomType> {
  return new Map(
    [...define].map(([name, word]) => {
      const type = CUSTOM_TYPE_NAMES.find((one) => bare(one) === bare(word))
      if (type !== undefined) return [bare(name), type]
      const [near] = nearest(word, CUSTOM_TYPE_NAMES)
      throw new CrmError('invalid_input', `${quote(name)} cannot be of the type ${quote(word)}.`, {
        hint: `--define takes ${CUSTOM_TYPE_NAMES.join(', ')}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
      })
    }),
  )
}

/** The fields of --match, in the spelling of the workspace. */
function readMatch(prepared: Preparation, { match }: PlanFlags): readonly string[] | undefined {
  const { upserting } = prepared
  if (!match || !upserting) return undefined
  const names = matchFields(upserting).map(({ name }) => name)
  const custom = customFieldsOf(prepared)
  const faults: Fault[] = []
  const found = match.map((given) => {
    const field = custom ? custom.fieldFor(given)?.name : names.find((one) => bare(one) === bare(given))
    if (field === undefined) faults.push(unknown('--match', given, names, `field of ${upserting.type.name} to match by`))
    return field ?? given
  })
  if (faults.length > 0) throw new CrmError('invalid_input', `--match is wrong: ${faults[0]?.message}`, { errors: faults })
  return found
}

/** Every row needs a value to be matched by. */
function refuseUnmatched({ unmatched }: ImportPlan, { name: path }: RowFile): void {
  if (unmatched.length === 0) return
  throw new CrmError('invalid_input', `Rows are matched by ${unmatched.join(' and ')}, and no column of ${path} fits.`, {
    hint: `Name its column: --map 'COLUMN=${unmatched[0]}'.`,
  })
}

function refuseConflicts({ mapping: { conflicts } }: ImportPlan): void {
  const [first] = conflicts
  if (!first) return
  throw new CrmError('invalid_input', `The columns ${first.columns.map(quote).join(' and ')} both fit ${first.field.name}.`, {
    hint: `Leave one of them out: --ignore ${quote(first.columns.at(-1) ?? '')}`,
  })
}

function refuseMissing({ target, mapping: { missing, columns } }: ImportPlan, { name: path }: RowFile): void {
  if (missing.length === 0) return
  const free = columns.filter(({ field }) => !field).map(({ column }) => quote(column))
  throw new CrmError('invalid_input', `${target.create.name} needs ${missing.map(({ name }) => name).join(' and ')}, and no column of ${path} fits.`, {
    hint: missing.some(({ name }) => name === 'ObjectName')
      ? 'Name the object that the rows are of: --object NAME.'
      : `Name its column: --map 'COLUMN=${missing[0]?.name}'.${free.length > 0 ? ` Columns without a field: ${free.slice(0, 12).join(', ')}.` : ''}`,
  })
}
