import type { Crm } from 'crm-connector'
import { BATCH, findOperation, recordName as nameIn } from 'crm-connector/contract'
import { labelOf } from '../data/field-names.ts'
import type { NameOfRecord } from '../data/record-names.ts'
import { differenceOf } from '../parts/difference.tsx'
import { shownText } from '../parts/visible-text.ts'

export type Change = Awaited<ReturnType<Crm['changes']['getMany']>>['Records'][number]
type Image = { readonly [field: string]: unknown }

/** The record types that have pages, and their paths. Of the other types, only changes of definitions can be undone. */
export const RECORD_PAGES: { readonly [recordType: string]: string } = {
  Lead: 'leads',
  Opportunity: 'opportunities',
  Company: 'companies',
  Contact: 'contacts',
  Case: 'cases',
  Campaign: 'campaigns',
  CustomObject: 'objects',
}

/** The path of a record's page; undefined where it has none. */
export function pathOf(recordType: string, recordId: string, image: Image | null): readonly string[] | undefined {
  // A plan links to the record that it would delete.
  if (recordType === 'Plan') return typeof image?.RecordType === 'string' ? pathOf(image.RecordType, String(image.RecordID), null) : undefined
  // A field links to the records of its object.
  if (recordType === 'Definition') return typeof image?.ObjectName === 'string' ? ['objects', image.ObjectName] : undefined
  // A field of a record type links to the others.
  if (recordType === 'OwnField') return typeof image?.RecordType === 'string' ? ['fields', RECORD_PAGES[image.RecordType] ?? ''] : undefined
  const page = RECORD_PAGES[recordType]
  if (page === undefined) return undefined
  if (recordType !== 'CustomObject') return [page, recordId]
  return typeof image?.ObjectName === 'string' ? [page, image.ObjectName, recordId] : undefined
}

/** The name of a record for people, or the end of its id where its image has no name. */
export function recordName(recordType: string, recordId: string, image: Image | null): string {
  // The image of a plan has only the id of the record.
  if (recordType === 'Plan' && typeof image?.Operation === 'string') return `${operationName(image.Operation)} …${String(image.RecordID).slice(-6)}`
  return shownText(nameIn(recordType, image) ?? '') || (recordType === 'Webhook' && typeof image?.URL === 'string' ? image.URL : `…${recordId.slice(-6)}`)
}

/** The same, where the image is that of a note, comment or membership with the name of its record, which is looked up. */
export function knownName(recordType: string, recordId: string, image: Image | null, nameOf: NameOfRecord): string {
  const isAttached = image !== null && RECORD_PAGES[recordType] !== undefined && !nameIn(recordType, image)
  return (isAttached && nameOf(recordType, recordId)) || recordName(recordType, recordId, image)
}

/** `CustomObject` becomes `custom object`, or the name of the object where the image has it. */
export function typeName(recordType: string, image: Image | null): string {
  if (recordType === 'CustomObject' && typeof image?.ObjectName === 'string') return image.ObjectName
  if (recordType === 'OwnField') return typeof image?.RecordType === 'string' ? `${image.RecordType.toLowerCase()} field` : 'field'
  return recordType.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
}

export function operationName(id: string): string {
  if (id === BATCH.id) return BATCH.name
  try {
    return findOperation(id).name
  } catch {
    return id
  }
}

/** What a user did, by the verb of the event. The star stands for the record. */
export const PHRASES: { readonly [verb: string]: string } = {
  created: 'created *',
  deleted: 'deleted *',
  restored: 'restored *',
  erased: 'erased *',
  note_added: 'added a note to *',
  note_removed: 'removed a note from *',
  comment_added: 'added a comment to *',
  comment_removed: 'removed a comment from *',
  added_to_campaign: 'added * to a campaign',
  removed_from_campaign: 'removed * from a campaign',
  retired: 'retired *',
  revoked: 'revoked *',
  secret_rotated: 'rotated the secret of *',
  replayed: 'resent the undelivered events of *',
  planned: 'requested approval of *',
  refused: 'refused *',
}

/** A change as a sentence without its subject, in parts: before the record, the record, after it. */
export interface ChangeSentence {
  readonly before: string
  readonly typeName: string
  /** Undefined where the change has no record. */
  readonly name: string | undefined
  readonly after: string
}

/** Names that the images do not have, such as that of a campaign, are looked up. */
export function changeSentence(change: Change, nameOf: NameOfRecord = () => undefined): ChangeSentence {
  const image = change.After ?? change.Before
  const [before = '', after = ''] = phraseOf(change).split('*')
  const { RecordType, RecordID } = change
  const campaign = typeof image?.CampaignID === 'string' && RecordType !== 'Campaign' && nameOf('Campaign', image.CampaignID)
  return {
    before,
    typeName: typeName(change.RecordType, image),
    name: RecordID === null ? undefined : knownName(RecordType, RecordID, image, nameOf),
    after: campaign ? after.replace('a campaign', `campaign ‘${campaign}’`) : after,
  }
}

export const eventVerb = ({ EventType }: Pick<Change, 'EventType'>) => EventType?.split('.')[1]

function phraseOf(change: Change): string {
  const verb = eventVerb(change)
  if (verb === undefined) return change.RecordID === null ? `tried ${operationName(change.Operation)}` : `tried ${operationName(change.Operation)} on *`
  if (verb === 'updated') return `changed ${fieldsOf(change)} of *`
  if (verb === 'created' && change.Operation === 'undo_change') return 'restored *'
  return PHRASES[verb] ?? `${verb.replaceAll('_', ' ')}: *`
}

const MAX_FIELDS = 3
const IGNORED = ['UpdatedDate', 'Revision']

function fieldsOf({ RecordType, Before, After }: Change): string {
  const names = differenceOf(Before, After).flatMap(({ field }) => (IGNORED.includes(field) ? [] : [labelOf(field.replace(/^Values\./, ''), RecordType)]))
  if (names.length === 0) return 'nothing'
  const shown = names.slice(0, names.length > MAX_FIELDS ? MAX_FIELDS - 1 : MAX_FIELDS)
  const last = names.length > shown.length ? `${names.length - shown.length} more fields` : shown.pop()
  return shown.length > 0 ? `${shown.join(', ')} and ${last}` : `${last}`
}

export const isDeletion = (change: Change) => eventVerb(change) === 'deleted'

/** Whether this kind of change can be undone. The service may still refuse, for instance if the record has changed since. */
export const canUndo = (change: Change) =>
  change.Outcome === 'ok' && (change.RecordType in RECORD_PAGES || change.RecordType === 'Definition') && eventVerb(change) !== 'erased'
