import type { StoredRecord } from '../platform.ts'
import type { Connection } from '../web/connection.ts'
import { WireError } from '../web/errors.ts'
import type { Table } from '../web/tables.ts'
import { newborn, theirs } from '../web/translation.ts'
import type { Asked, Created, Each } from '../web/wire.ts'
import { associatedWith } from './associations.ts'
import { codec } from './codec.ts'
import type { Change } from './handler.ts'
import type { Association, Objects, Properties, Row, Written } from './objects.ts'
import { filled, Records, written } from './records.ts'
import { CONTACT } from './tables.ts'

/** How HubSpot calls it that a contact is the one that a lead is about. */
const PRIMARY_CONTACT = 578
const LEAD_NAME = 'hs_lead_name'

/** Leads as objects of their own. Who they are about is a contact: it is found by its e-mail address or made first, and says the name and how to be reached. */
export class Leads extends Records {
  private readonly contacts: Objects
  private readonly connection: Connection

  constructor(objects: Objects, contacts: Objects, table: Table, connection: Connection) {
    super('Lead', objects, table)
    this.contacts = contacts
    this.connection = connection
  }

  override async create(records: readonly StoredRecord[]): Promise<Each<Created>[]> {
    const people = records.map((record) => this.contactOf(newborn(this.table, codec, record)))
    const { rows: contacts, made } = await this.found(people)
    const ready = records.flatMap((record, index) => {
      const contact = contacts[index]
      return contact === undefined || contact instanceof WireError ? [] : [{ index, record, contact }]
    })
    const answers = await this.objects.create(ready.map(({ record, contact }) => ({ properties: this.properly(record), associations: [primary(contact.id)] })))
    const leads = new Map(ready.map(({ index }, i) => [index, answers[i] as Each<Row>]))
    // A contact that was made for a lead which is refused is of no use to anybody.
    const useless = ready.flatMap(({ index, contact }) => (isRefused(leads.get(index)) && made.has(contact.id) ? [contact.id] : []))
    const used = new Set(ready.flatMap(({ index, contact }) => (isRefused(leads.get(index)) ? [] : [contact.id])))
    const orphans = [...new Set(useless)].filter((id) => !used.has(id))
    if (orphans.length > 0) await this.contacts.archive(orphans)
    return records.map((_record, index) => {
      const contact = contacts[index] as Each<Row>
      if (contact instanceof WireError) return contact
      const lead = leads.get(index) as Each<Row>
      return lead instanceof WireError ? lead : this.recordOf(lead, ofContact(contact))
    })
  }

  /** The contacts that new leads are about, by their places, and which of them were made just now. An e-mail address has one contact only. */
  private async found(people: readonly Written[]): Promise<{ readonly rows: readonly Each<Row>[]; readonly made: ReadonlySet<string> }> {
    const addressOf = ({ email }: Written) => email?.trim().toLowerCase()
    const addresses = people.flatMap((person) => addressOf(person) ?? [])
    const known = addresses.length > 0 ? await this.contacts.readBy('email', addresses, this.contactProperties()) : []
    const byAddress = new Map<string | undefined, Each<Row>>(known.map((row) => [row.properties.email?.toLowerCase(), row]))
    const fresh = people.filter((person, index) => {
      const address = addressOf(person)
      return address === undefined || (!byAddress.has(address) && people.findIndex((other) => addressOf(other) === address) === index)
    })
    const rows = fresh.length > 0 ? await this.contacts.create(fresh.map((properties) => ({ properties, associations: [] }))) : []
    const created = new Map(fresh.map((person, index) => [person, rows[index] as Each<Row>]))
    for (const [person, row] of created) if (addressOf(person) !== undefined) byAddress.set(addressOf(person), row)
    return {
      rows: people.map((person) => created.get(person) ?? (byAddress.get(addressOf(person)) as Each<Row>)),
      made: new Set(rows.flatMap((row) => (row instanceof WireError ? [] : [row.id]))),
    }
  }

  private properly(record: StoredRecord): Written {
    const all = newborn(this.table, codec, record)
    return filled({ ...Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith(CONTACT))), [LEAD_NAME]: nameOf(record) })
  }

  private contactOf(all: { readonly [name: string]: unknown }): Written {
    return filled(contactPart(all))
  }

  override async update(changes: readonly Change[]): Promise<Each<StoredRecord | boolean>[]> {
    const sent = changes.map(({ id, changes: changed, before }) => {
      const all = theirs(this.table, codec, changed)
      const isRenamed = changed.FirstName !== undefined || changed.LastName !== undefined
      const own = Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith(CONTACT)))
      const properties = written(isRenamed ? { ...own, [LEAD_NAME]: nameOf({ ...before, ...changed }) } : own)
      return { id, properties, contact: written(contactPart(all)) }
    })
    const failures = await this.updateContacts(sent.filter(({ contact }) => Object.keys(contact).length > 0))
    const leads = await super.sent(sent.map(({ id, properties }) => ({ id, properties: failures.has(id) ? {} : properties })))
    // The answer to a change of the lead says nothing of the contact.
    return sent.map(
      ({ id }, index) => failures.get(id) ?? (leads[index] instanceof WireError || leads[index] === false ? (leads[index] as Each<boolean>) : true),
    )
  }

  /** What went wrong with the contacts of leads, by the leads' ids. */
  private async updateContacts(sent: readonly { readonly id: string; readonly contact: Written }[]): Promise<Map<string, Each<false>>> {
    const failures = new Map<string, Each<false>>()
    if (sent.length === 0) return failures
    const contacts = await this.contactIds(sent.map(({ id }) => id))
    const known = sent.flatMap(({ id, contact }) => {
      const contactId = contacts.get(id)
      if (contactId === undefined) failures.set(id, new WireError('platform_rejected', `The lead ${id} has no contact whose fields could be changed.`))
      return contactId === undefined ? [] : [{ lead: id, id: contactId, properties: contact }]
    })
    const answers = known.length > 0 ? await this.contacts.update(known.map(({ id, properties }) => ({ id, properties }))) : []
    for (const [index, { lead }] of known.entries()) {
      const answer = answers[index]
      if (answer === false || answer instanceof WireError) failures.set(lead, answer)
    }
    return failures
  }

  protected override properties(asked?: Pick<Asked, 'fields' | 'where' | 'order'>): string[] {
    return [...super.properties(asked).filter((name) => !name.startsWith(CONTACT)), LEAD_NAME]
  }

  private contactProperties(): string[] {
    return super.properties().flatMap((name) => (name.startsWith(CONTACT) ? [name.slice(CONTACT.length)] : []))
  }

  protected override async recordsOf(rows: readonly Row[], fields?: readonly string[]): Promise<StoredRecord[]> {
    const onContact = Object.entries(this.table.fields).filter(([, place]) => place?.name.startsWith(CONTACT))
    if (rows.length === 0 || (fields && !onContact.some(([name]) => fields.includes(name)))) return rows.map((row) => this.recordOf(row))
    const ids = await this.contactIds(rows.map(({ id }) => id))
    const contacts = new Map((await this.contacts.read([...ids.values()], this.contactProperties())).map((row) => [row.id, row]))
    return rows.map((row) => {
      const contact = contacts.get(ids.get(row.id) ?? '')
      return this.recordOf(row, contact && ofContact(contact))
    })
  }

  /** The contact of each lead: the one it is about before any other. */
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

const isRefused = (answer: Each<Row> | undefined) => answer instanceof WireError && answer.unknown === undefined

const nameOf = ({ FirstName, LastName }: StoredRecord): string => [FirstName, LastName].filter((part) => typeof part === 'string' && part !== '').join(' ')

function contactPart(all: { readonly [name: string]: unknown }): { [name: string]: unknown } {
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (name.startsWith(CONTACT) ? [[name.slice(CONTACT.length), value]] : [])))
}

function ofContact({ properties }: Row): Properties {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [`${CONTACT}${name}`, value]))
}
