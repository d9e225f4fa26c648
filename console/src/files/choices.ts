import { type Crm, CrmError } from 'crm-connector'
import { type CustomType, recordType } from 'crm-connector/contract'
import {
  absentOwnerColumn,
  bare,
  type CellFormats,
  cellOf,
  customFieldsOf,
  guessFormats,
  type ImportPlan,
  matchChoices,
  openRowFile,
  type Preparation,
  planImport,
  prepareImport,
  type RowFile,
  type Sample,
  sampleOf,
  type TargetField,
} from 'crm-connector/files'
import { numberText } from '../parts/values.tsx'
import { fileSource } from './file-source.ts'
import type { MappingMemory, Remembered } from './mapping-memory.ts'

/** What a person chose for columns: a field by its name, a new field of a type (`+Number`), or an empty text to leave the column out. */
export type ColumnChoices = ReadonlyMap<string, string>

/** A file with everything that was chosen about it. */
export interface ChosenFile {
  readonly file: RowFile
  readonly sample: Sample
  readonly prepared: Preparation
  readonly choices: ColumnChoices
  readonly formats: CellFormats
  readonly absentOwner: string | undefined
  /** The fields by which rows find the records that they update; undefined where every row is a new record. */
  readonly matchBy: readonly string[] | undefined
  readonly plan: ImportPlan
  /** Whether it is mapped as the last file with these columns was. */
  readonly isRemembered: boolean
}

export interface WhatToImport {
  readonly type: string
  readonly objectName: string | undefined
  readonly may: (operation: string) => boolean
  readonly memory: MappingMemory
}

/** Opens a file, and maps its columns as those of the last file that had the same, or else by their names. */
export async function openChosen(crm: Crm, chosen: File, { type, objectName, may, memory }: WhatToImport, encoding?: string): Promise<ChosenFile> {
  const file = await openRowFile(fileSource(chosen), { encoding, encodingHint: 'Excel in western Europe and America writes Windows-1252.' })
  const sample = await sampleOf(file)
  if (sample.rows.length === 0)
    throw new CrmError('invalid_input', `${file.name} has no rows. The first line names the columns, and every further line is a record.`)
  const prepared = await prepareImport(crm, recordType(type), sample, { object: objectName, onlyObject: objectName !== undefined, may })
  if (!prepared) throw new CrmError('forbidden', 'Your key does not allow creating these records.')
  if (prepared.columns.length === 0) throw unreadable(file.name, sample)
  const numbersAsText = file.format === 'xlsx'
  const first = planned({
    file,
    sample,
    prepared,
    choices: new Map(),
    formats: { numbers: '1234.5', dates: '2026-12-31', numbersAsText },
    absentOwner: undefined,
    matchBy: undefined,
    isRemembered: false,
  })
  const formats = { ...formatsIn(first.plan), numbersAsText }
  const named = planned({ ...first, formats, absentOwner: await absentOwnerColumn(crm, first.plan) })
  const remembered = memory.recall(prepared.columns)
  return remembered ? asRemembered(named, remembered) : named
}

/** Fields that are gone since are left to the names of their columns. */
function asRemembered(named: ChosenFile, { choices, matchBy, formats }: Remembered): ChosenFile {
  const known = new Set(['', ...fieldsOf(named.prepared).map(({ name }) => name)])
  const kept = choices.filter(([, choice]) => known.has(choice) || choice.startsWith('+'))
  const mapped = planned({ ...named, choices: new Map(kept), formats: { ...named.formats, ...formats }, isRemembered: true })
  const fields = new Set(matchChoices(mapped.plan).map(({ name }) => name))
  return planned({ ...mapped, matchBy: matchBy?.every((name) => fields.has(name)) ? matchBy : undefined })
}

/** What the next file with these columns is mapped by. */
export const toRemember = ({ choices, matchBy, formats: { numbers, dates } }: ChosenFile): Remembered => ({
  choices: [...choices],
  matchBy,
  formats: { numbers, dates },
})

/** Forgets what was chosen, and maps columns by their names. */
export const mappedByName = (chosen: ChosenFile): ChosenFile =>
  planned({ ...chosen, choices: new Map(), formats: { ...chosen.formats, ...formatsIn(chosen.plan) }, matchBy: undefined, isRemembered: false })

/** The same file with a new plan, after a choice. */
export function planned({ prepared, choices, formats, absentOwner, matchBy, ...file }: Omit<ChosenFile, 'plan'>): ChosenFile {
  const types = new Map<string, CustomType>()
  const chosen = new Map<string, TargetField | null>()
  const custom = customFieldsOf(prepared)
  for (const [column, choice] of choices) {
    if (choice.startsWith('+')) types.set(bare(column), choice.slice(1) as CustomType)
    const field = choice.startsWith('+') ? custom?.fieldFor(column) : fieldsOf(prepared).find(({ name }) => name === choice)
    chosen.set(column, field ?? null)
  }
  return { ...file, prepared, choices, formats, absentOwner, matchBy, plan: planImport(prepared, { chosen, types, formats, absentOwner, matchBy }) }
}

export function withChoice(chosen: ChosenFile, column: string, choice: string): ChosenFile {
  const absentOwner = column === chosen.absentOwner ? undefined : chosen.absentOwner
  return planned({ ...chosen, absentOwner, choices: new Map([...chosen.choices, [column, choice]]) })
}

/** Matches rows with records, at first by the field that tells them apart best; or makes every row a new record. */
export function withMatching(chosen: ChosenFile, matches: boolean): ChosenFile {
  return planned({
    ...chosen,
    matchBy: matches
      ? matchChoices(chosen.plan)
          .slice(0, 1)
          .map(({ name }) => name)
      : undefined,
  })
}

/** The fields that a column can be written to, without new ones. */
export const fieldsOf = (prepared: Preparation): readonly TargetField[] => [...prepared.target.fields, ...(customFieldsOf(prepared)?.defined ?? [])]

/** The name of the new field that a column would define; undefined where it would define none. */
export function newFieldFor({ custom, object = '' }: ImportPlan, column: string): string | undefined {
  const field = custom?.fieldFor(column)
  return field && custom?.definitionOf(object, field).isNew ? field.name : undefined
}

/** What is chosen for a column now, by a person or by its name. */
export function choiceFor({ mapping, custom, object = '' }: ImportPlan, column: string): string {
  const { field } = mapping.of(column)
  const definition = field?.isCustom ? custom?.definitionOf(object, field) : undefined
  return definition?.isNew ? `+${definition.Type}` : (field?.name ?? '')
}

/** What has to be chosen before an import, in sentences. */
export function obstacles({ mapping: { columns, missing, conflicts }, matchBy, unmatched }: ImportPlan): string[] {
  const isEmpty = missing.length === 0 && columns.every(({ field }) => !field)
  return [
    ...missing.map(({ label }) => `Every record needs ${label}: choose the column that has it.`),
    ...conflicts.map(({ field }) => `Two columns go to ${field.name}: choose one of them.`),
    ...(matchBy?.length === 0 ? ['Choose at least one field to match by.'] : []),
    ...unmatched.map((name) => `Rows are matched by ${name}, and no column goes to it.`),
    ...(isEmpty ? ['No column goes to a field yet.'] : []),
  ]
}

const formatsIn = ({ mapping, rows, kindOf }: ImportPlan) =>
  guessFormats((...kinds) =>
    mapping.columns.flatMap(({ column, field }) => (field && kinds.includes(kindOf(field)) ? rows.map((row) => cellOf(row, column)) : [])),
  )

function unreadable(name: string, { rows }: Sample): CrmError {
  const faulty = rows.find(({ fault }) => fault !== undefined)
  if (!faulty) return new CrmError('invalid_input', `The records in ${name} have no members.`)
  return new CrmError('invalid_input', `None of the first ${numberText(rows.length)} rows of ${name} can be read. Line ${faulty.line}: ${faulty.fault}`)
}
