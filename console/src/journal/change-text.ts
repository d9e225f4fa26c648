import type { Crm } from 'crm-connector'
import { findOperation, RECORD_TYPES } from 'crm-connector/contract'
import { differenceOf } from '../parts/difference.tsx'

export type Change = Awaited<ReturnType<Crm['changes']['getMany']>>['Records'][number]
type Image = { readonly [field: string]: unknown }

/** Where the records that have a page of their own are shown; what happens to them can be undone. */
export const RECORD_PAGES: { readonly [recordType: string]: string } = {
  Lead: 'leads',
  Opportunity: 'opportunities',
  Case: 'cases',
  Campaign: 'campaigns',
  CustomObject: 'objects',
}

/** The path of a record's page; undefined where it has none. */
export function pathOf(recordType: string, recordId: string, image: Image | null): readonly string[] | undefined {
  // A plan has none, but the record that it is about.
  if (recordType === 'Plan') return typeof image?.RecordType === 'string' ? pathOf(image.RecordType, String(image.RecordID), null) : undefined
  const page = RECORD_PAGES[recordType]
  if (page === undefined) return undefined
  if (recordType !== 'CustomObject') return [page, recordId]
  return typeof image?.ObjectName === 'string' ? [page, image.ObjectName, recordId] : undefined
}

/** The fields that a record is called by. */
const NAME_FIELDS: { readonly [recordType: string]: readonly string[] } = {
  Lead: ['FirstName', 'LastName'],
  Opportunity: ['OpportunityName'],
  Case: ['Subject'],
  Campaign: ['CampaignName'],
  User: ['Name'],
  Key: ['Label'],
  Webhook: ['Label'],
}

/** What a record is called; the end of its id where its image does not say. */
export function recordName(recordType: string, recordId: string, image: Image | null): string {
  // What is told of a plan has nothing of the record but its id.
  if (recordType === 'Plan' && typeof image?.Operation === 'string') return `${operationName(image.Operation)} …${String(image.RecordID).slice(-6)}`
  const names = (NAME_FIELDS[recordType] ?? []).flatMap((field) => (typeof image?.[field] === 'string' ? [image[field]] : []))
  const first = names.length > 0 ? names.join(' ') : Object.values((image?.Values as Image | undefined) ?? {}).find((value) => typeof value === 'string')
  return (first as string | undefined) ?? (recordType === 'Webhook' && typeof image?.URL === 'string' ? image.URL : `…${recordId.slice(-6)}`)
}

/** `CustomObject` in the middle of a sentence; an object of one's own goes by its own name. */
export function typeName(recordType: string, image: Image | null): string {
  if (recordType === 'CustomObject' && typeof image?.ObjectName === 'string') return image.ObjectName
  return recordType.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
}

export function operationName(id: string): string {
  try {
    return findOperation(id).name
  } catch {
    return id
  }
}

/** What somebody did, by what happened. The star stands for the record. */
const PHRASES: { readonly [happening: string]: string } = {
  created: 'created *',
  deleted: 'deleted *',
  erased: 'erased * for good',
  note_added: 'added a note to *',
  note_removed: 'removed a note from *',
  comment_added: 'added a comment to *',
  comment_removed: 'removed a comment from *',
  added_to_campaign: 'added * to a campaign',
  removed_from_campaign: 'took * out of a campaign',
  revoked: 'revoked *',
  secret_rotated: 'gave a new secret to *',
  replayed: 'sent the dead letters of * again',
  planned: 'asked to have * confirmed',
  refused: 'refused *',
}

/** A change as a sentence without its subject: what comes before the record, the record, and what comes after. */
export interface ChangeSentence {
  readonly before: string
  readonly typeName: string
  /** Undefined where no record is known. */
  readonly name: string | undefined
  readonly after: string
}

export function changeSentence(change: Change): ChangeSentence {
  const image = change.After ?? change.Before
  const [before = '', after = ''] = phraseOf(change).split('*')
  return {
    before,
    typeName: typeName(change.RecordType, image),
    name: change.RecordID === null ? undefined : recordName(change.RecordType, change.RecordID, image),
    after,
  }
}

export const eventVerb = ({ EventType }: Pick<Change, 'EventType'>) => EventType?.split('.')[1]

function phraseOf(change: Change): string {
  const happening = eventVerb(change)
  if (happening === undefined) return change.RecordID === null ? `tried ${operationName(change.Operation)}` : `tried ${operationName(change.Operation)} on *`
  if (happening === 'updated') return `changed ${fieldsOf(change)} of *`
  if (happening === 'created' && change.Operation === 'undo_change') return 'brought back *'
  return PHRASES[happening] ?? `${happening.replaceAll('_', ' ')}: *`
}

/** So many fields are named in a sentence. */
const MAX_FIELDS = 3
const IGNORED = ['UpdatedDate', 'Revision']

function fieldsOf({ RecordType, Before, After }: Change): string {
  const fields = RECORD_TYPES.find(({ name }) => name === RecordType)?.fields ?? {}
  const names = differenceOf(Before, After).flatMap(({ field }) => (IGNORED.includes(field) ? [] : [fields[field]?.label ?? field.replace(/^Values\./, '')]))
  if (names.length === 0) return 'nothing'
  const shown = names.slice(0, names.length > MAX_FIELDS ? MAX_FIELDS - 1 : MAX_FIELDS)
  const last = names.length > shown.length ? `${names.length - shown.length} more fields` : shown.pop()
  return shown.length > 0 ? `${shown.join(', ')} and ${last}` : `${last}`
}

/** Whether a change may be taken back at all; whether it still can be, only the service knows. */
/** Whether it took something away. */
export const isDeletion = (change: Change) => eventVerb(change) === 'deleted'

export const canUndo = (change: Change) => change.Outcome === 'ok' && change.RecordType in RECORD_PAGES && eventVerb(change) !== 'erased'
