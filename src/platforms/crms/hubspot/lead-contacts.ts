import type { Fault } from '../../../contract/errors.ts'
import type { StoredRecord } from '../../platform.ts'
import type { PerItem } from '../engine/driver.ts'
import { DriverError, ofStep } from '../engine/errors.ts'
import { isSamePhone } from '../engine/matching.ts'
import type { Place, Table } from '../engine/tables.ts'
import { fieldOf, toNewRow, toRow } from '../engine/translation.ts'
import { codec } from './codec.ts'
import type { Objects, Row, Written } from './objects.ts'
import { filled } from './records.ts'
import { CONTACT } from './tables.ts'

/** The contact that a new lead needs. */
export interface Person {
  /** The e-mail address, a unique key of contacts. */
  readonly address: string | undefined
  /** The properties that the caller gave. */
  readonly sent: Written
  /** The same, with the configured defaults. */
  readonly all: Written
}

/** The contact of a new lead, and what was changed on it, so that it can be reverted. */
export interface Found {
  readonly row: Row
  readonly made: boolean
  /** The previous values of the properties that were changed. */
  readonly before: Written
}

/** Finds the contacts of new leads by their e-mail addresses, or creates them. */
export class LeadContacts {
  private readonly contacts: Objects
  private readonly table: Table

  constructor(contacts: Objects, table: Table) {
    this.contacts = contacts
    this.table = table
  }

  personOf(record: StoredRecord): Person {
    const given = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))
    const sent = filled(contactPart(toRow(this.table, codec, given)))
    return { address: sent.email?.trim().toLowerCase(), sent, all: filled(contactPart(toNewRow(this.table, codec, record))) }
  }

  /**
   * A contact for each person; their addresses must be unique. Empty properties of an existing contact are filled in; if a property has another
   * value, the answer for that person is an error, and the contact stays as it is.
   */
  async found(people: readonly Person[]): Promise<PerItem<Found>[]> {
    const known = await this.known(people)
    const there = people.map((person) => (person.address === undefined ? undefined : known.get(person.address)))
    const fresh = people.filter((_person, index) => !there[index])
    const made = fresh.length > 0 ? await this.contacts.create(fresh.map(({ all }) => ({ properties: all, associations: [] }))) : []
    const rows = new Map(fresh.map((person, index) => [person, made[index] as PerItem<Row>]))
    const completed = await this.completed(people.flatMap((person, index) => (there[index] ? [{ person, row: there[index] }] : [])))
    return people.map((person) => {
      const row = rows.get(person)
      if (row === undefined) return completed.get(person) as PerItem<Found>
      return row instanceof DriverError ? ofStep(row) : { row, made: true, before: {} }
    })
  }

  /** Leaves contacts as they were before. */
  async undo(found: readonly Found[]): Promise<void> {
    const made = found.filter((one) => one.made)
    if (made.length > 0) await this.contacts.archive(made.map(({ row }) => row.id))
    const changed = found.filter(({ before }) => Object.keys(before).length > 0)
    if (changed.length > 0) await this.contacts.update(changed.map(({ row, before }) => ({ id: row.id, properties: before })))
  }

  /** The contacts that are there, by their addresses, with every property that leads may bring. */
  private async known(people: readonly Person[]): Promise<Map<string | undefined, Row>> {
    const addresses = people.flatMap(({ address }) => address ?? [])
    if (addresses.length === 0) return new Map()
    const properties = new Set([...contactProperties(this.table), ...people.flatMap(({ all }) => Object.keys(all))])
    const rows = await this.contacts.readBy('email', addresses, [...properties])
    return new Map(rows.map((row) => [row.properties.email?.toLowerCase(), row]))
  }

  /** Contacts that are there, with what they lacked. */
  private async completed(there: readonly { readonly person: Person; readonly row: Row }[]): Promise<Map<Person, PerItem<Found>>> {
    const answers = new Map<Person, PerItem<Found>>()
    const incomplete = there.flatMap(({ person, row }) => {
      const differing = Object.entries(person.sent).flatMap(([name, value]) => (this.isSame(name, row.properties[name] || value, value) ? [] : [name]))
      const changes = changesOf(person, row)
      answers.set(person, differing.length > 0 ? this.other(differing) : { row, made: false, before: {} })
      return differing.length > 0 || Object.keys(changes).length === 0 ? [] : [{ person, row, changes }]
    })
    const updates = incomplete.length > 0 ? await this.contacts.update(incomplete.map(({ row, changes }) => ({ id: row.id, properties: changes }))) : []
    for (const [index, { person, row, changes }] of incomplete.entries()) {
      const after = updates[index] as PerItem<Row | false>
      const before = Object.fromEntries(Object.keys(changes).map((name) => [name, row.properties[name] ?? '']))
      if (after === false) answers.set(person, new DriverError('conflict', `The contact ${row.id} was deleted just now.`, { hint: 'Create the lead again.' }))
      else if (after instanceof DriverError) answers.set(person, ofStep(after))
      else answers.set(person, { row: { ...row, properties: { ...row.properties, ...changes, ...after.properties } }, made: false, before })
    }
    return answers
  }

  /** Whether two values of a property are the same to a person. */
  private isSame(name: string, one: string, other: string): boolean {
    const place = Object.values(this.table.fields).find((known) => known?.name === `${CONTACT}${name}`)
    if (!place) return one === other
    return plain(place, one) === plain(place, other) || (place.kind === 'phone' && isSamePhone(one, other))
  }

  private other(differing: readonly string[]): DriverError {
    const fields = differing.map((name) => fieldOf(this.table, `${CONTACT}${name}`))
    const errors = fields.map((field): Fault => ({ field, code: 'conflict', message: `The contact with this Email has another ${field}.` }))
    return new DriverError('conflict', `HubSpot already has a contact with this e-mail address, with another ${fields.join(', ')}. Nothing was created.`, {
      errors,
      hint: `Send the same ${fields.join(', ')} as the contact has, change the contact in HubSpot first, or leave Email out: the lead is then about a contact of its own.`,
    })
  }
}

/** What a contact lacks, and what it says in another way than the caller: a lead has what was sent, word for word, so that it can be found by that. */
function changesOf({ sent, all }: Person, { properties }: Row): Written {
  const isOtherwise = (name: string) => name !== 'email' && sent[name] !== undefined && properties[name]?.trim() !== sent[name].trim()
  return Object.fromEntries(Object.entries(all).filter(([name]) => !properties[name] || isOtherwise(name)))
}

/** A value without what makes no difference: blanks around it, and the case of letters in an address. */
function plain(place: Place, raw: string): unknown {
  const value = codec.read(place, raw.trim())
  return typeof value === 'string' && place.kind === 'email' ? value.toLowerCase() : value
}

/** The properties of the contact that a table names. */
export function contactProperties({ fields }: Table): string[] {
  return Object.values(fields).flatMap((place) => (place?.name.startsWith(CONTACT) ? [place.name.slice(CONTACT.length)] : []))
}

/** What of a lead belongs to its contact. */
export function contactPart(all: { readonly [name: string]: unknown }): { [name: string]: unknown } {
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (name.startsWith(CONTACT) ? [[name.slice(CONTACT.length), value]] : [])))
}
