import type { StoredRecord } from '../../platform.ts'
import type { Created, DriverQuery, PerItem } from '../engine/driver.ts'
import { DriverError, ofStep } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import { toNewRow, toRow } from '../engine/translation.ts'
import { associatedWith } from './associations.ts'
import { codec } from './codec.ts'
import type { Change } from './handler.ts'
import type { Hub } from './hub.ts'
import { contactPart, contactProperties, type Found, LeadContacts, type Person } from './lead-contacts.ts'
import { type Association, type Objects, type Properties, type Row, settled, type Written } from './objects.ts'
import { filled, Records, written } from './records.ts'
import { CONTACT } from './tables.ts'

/** HubSpot's association type for the primary contact of a lead. */
const PRIMARY_CONTACT = 578
const LEAD_NAME = 'hs_lead_name'

/** A lead to create, and its contact. */
interface New {
  readonly record: StoredRecord
  readonly person: Person
}

/** Leads as objects of their own. Name, e-mail and phone are on the primary contact, which is found by its e-mail address or created first. */
export class Leads extends Records {
  private readonly contacts: Objects
  private readonly people: LeadContacts
  private readonly connection: Hub

  constructor(objects: Objects, contacts: Objects, table: Table, connection: Hub) {
    super('Lead', objects, table)
    this.contacts = contacts
    this.people = new LeadContacts(contacts, table)
    this.connection = connection
  }

  override async create(records: readonly StoredRecord[]): Promise<PerItem<Created>[]> {
    const news = records.map((record) => ({ record, person: this.people.personOf(record) }))
    // Leads about the same person are created one after the other, and compared with what the earlier one has sent.
    const isFirst = ({ address }: Person, index: number) => address === undefined || news.findIndex(({ person }) => person.address === address) === index
    const first = news.filter(({ person }, index) => isFirst(person, index))
    const later = news.filter(({ person }, index) => !isFirst(person, index))
    const answers = new Map<New, PerItem<Created>>()
    for (const [index, answer] of (await this.createApart(first)).entries()) answers.set(first[index] as New, answer)
    // The results of the first round are returned even if the rest fails.
    const rest = later.length > 0 ? await settled(this.create(later.map(({ record }) => record))) : []
    for (const [index, one] of later.entries()) answers.set(one, rest instanceof DriverError ? rest : (rest[index] as PerItem<Created>))
    return news.map((one) => answers.get(one) as PerItem<Created>)
  }

  /** Creates leads, each with a different contact. */
  private async createApart(news: readonly New[]): Promise<PerItem<Created>[]> {
    const found = await this.people.found(news.map(({ person }) => person))
    const ready = news.flatMap(({ record }, index) => {
      const contact = found[index] as PerItem<Found>
      return contact instanceof DriverError ? [] : [{ index, record, contact }]
    })
    const inputs = ready.map(({ record, contact }) => ({ properties: this.properly(record), associations: [primary(contact.row.id)] }))
    const rows = inputs.length > 0 ? await this.objects.create(inputs) : []
    // Reverts the changes to contacts whose lead was refused.
    await this.people.undo(ready.flatMap(({ contact }, index) => (isRefused(rows[index]) ? [contact] : [])))
    const leads = new Map(ready.map(({ index, contact }, i) => [index, { lead: rows[i] as PerItem<Row>, contact }]))
    return found.map((contact, index) => {
      const made = leads.get(index)
      if (!made) return contact as DriverError
      return made.lead instanceof DriverError ? made.lead : this.recordOf(made.lead, ofContact(made.contact.row))
    })
  }

  private properly(record: StoredRecord): Written {
    const all = toNewRow(this.table, codec, record)
    return filled({ ...Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith(CONTACT))), [LEAD_NAME]: nameOf(record) })
  }

  override async update(changes: readonly Change[]): Promise<PerItem<StoredRecord | boolean>[]> {
    const sent = changes.map(({ id, changes: changed, before }) => {
      const all = toRow(this.table, codec, changed)
      const isRenamed = changed.FirstName !== undefined || changed.LastName !== undefined
      const own = Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith(CONTACT)))
      const properties = written(isRenamed ? { ...own, [LEAD_NAME]: nameOf({ ...before, ...changed }) } : own)
      return { id, properties, contact: written(contactPart(all)) }
    })
    const failures = await this.updateContacts(sent.filter(({ contact }) => Object.keys(contact).length > 0))
    const leads = await super.sent(sent.map(({ id, properties }) => ({ id, properties: failures.has(id) ? {} : properties })))
    // The response to an update of the lead does not include the contact.
    return sent.map(
      ({ id }, index) => failures.get(id) ?? (leads[index] instanceof DriverError || leads[index] === false ? (leads[index] as PerItem<boolean>) : true),
    )
  }

  /** The errors of the contacts of leads, by lead id. */
  private async updateContacts(sent: readonly { readonly id: string; readonly contact: Written }[]): Promise<Map<string, PerItem<false>>> {
    const failures = new Map<string, PerItem<false>>()
    if (sent.length === 0) return failures
    const contacts = await this.contactIds(sent.map(({ id }) => id))
    const known = sent.flatMap(({ id, contact }) => {
      const contactId = contacts.get(id)
      if (contactId === undefined) failures.set(id, new DriverError('platform_rejected', `The lead ${id} has no contact whose fields could be changed.`))
      return contactId === undefined ? [] : [{ lead: id, id: contactId, properties: contact }]
    })
    const answers = known.length > 0 ? await this.contacts.update(known.map(({ id, properties }) => ({ id, properties }))) : []
    for (const [index, { lead }] of known.entries()) {
      const answer = answers[index]
      if (answer === false || answer instanceof DriverError) failures.set(lead, answer && ofStep(answer))
    }
    return failures
  }

  protected override properties(query?: Pick<DriverQuery, 'fields' | 'where' | 'order'>): string[] {
    return [...super.properties(query).filter((name) => !name.startsWith(CONTACT)), LEAD_NAME]
  }

  protected override async readerOf(rows: readonly Row[], fields?: readonly string[]): Promise<(row: Row) => StoredRecord> {
    const onContact = Object.entries(this.table.fields).filter(([, place]) => place?.name.startsWith(CONTACT))
    if (rows.length === 0 || (fields && !onContact.some(([name]) => fields.includes(name)))) return (row) => this.recordOf(row)
    const ids = await this.contactIds(rows.map(({ id }) => id))
    const contacts = new Map((await this.contacts.read([...ids.values()], contactProperties(this.table))).map((row) => [row.id, row]))
    return (row) => {
      const contact = contacts.get(ids.get(row.id) ?? '')
      return this.recordOf(row, contact && ofContact(contact))
    }
  }

  /** The contact that a lead is about. */
  async contactOf(lead: string): Promise<string | undefined> {
    return (await this.contactIds([lead])).get(lead)
  }

  /** The contact of each lead, preferably the primary one. */
  private async contactIds(leads: readonly string[]): Promise<Map<string, string>> {
    const associated = await associatedWith(this.connection, this.objects.object, this.contacts.object, leads)
    return new Map(
      [...associated].flatMap(([lead, links]) => {
        const link = links.find(({ types }) => types.includes(PRIMARY_CONTACT)) ?? links[0]
        return link ? [[lead, link.id]] : []
      }),
    )
  }
}

const primary = (id: string): Association => ({
  to: { id },
  types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: PRIMARY_CONTACT }],
})

const isRefused = (answer: PerItem<Row> | undefined) => answer instanceof DriverError && answer.unknown === undefined

const nameOf = ({ FirstName, LastName }: StoredRecord): string => [FirstName, LastName].filter((part) => typeof part === 'string' && part !== '').join(' ')

function ofContact({ properties }: Row): Properties {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [`${CONTACT}${name}`, value]))
}
