import { quoted as quotedValue } from '../../../contract/visible-text.ts'
import type { PerItem } from '../engine/driver.ts'
import { DriverError, ofStep } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import type { Api, Row } from './api.ts'
import { isId } from './ids.ts'
import { slices } from './selection.ts'
import { list, quoted } from './soql.ts'
import type { Draft, Patch, Writes } from './writes.ts'

/** The contact of an opportunity can be set when that is created; later it is the one that has the primary role in it. */
const ROLES: Table = { object: 'OpportunityContactRole', fields: {} }

/** Opportunities in one query. */
const TOGETHER = 300

export interface ContactChange {
  readonly id: string
  /** Null for none. */
  readonly contactId: string | null
}

/** Makes contacts the primary ones of opportunities. Roles that are there stay, so that none that people have given is lost. */
export async function setContacts(api: Api, writes: Writes, changes: readonly ContactChange[]): Promise<PerItem<true>[]> {
  const roles: Row[] = []
  for (const some of slices(changes, TOGETHER)) {
    const ids = list(some.map(({ id }) => quoted(id)))
    roles.push(...(await api.everything(`SELECT Id, OpportunityId, ContactId, IsPrimary FROM ${ROLES.object} WHERE OpportunityId IN ${ids}`)))
  }
  const results = new Map<number, PerItem<true>>(changes.map((_, at) => [at, true]))
  const patches: { readonly at: number; readonly patch: Patch }[] = []
  const drafts: { readonly at: number; readonly draft: Draft }[] = []
  for (const [at, { id, contactId }] of changes.entries()) {
    if (contactId !== null && !isId(contactId)) {
      results.set(at, noContact(contactId))
      continue
    }
    const own = roles.filter(({ OpportunityId }) => OpportunityId === id)
    for (const { Id, ContactId, IsPrimary } of own) {
      if ((ContactId === contactId) !== IsPrimary) patches.push({ at, patch: { table: ROLES, id: Id, body: { IsPrimary: ContactId === contactId } } })
    }
    if (contactId !== null && !own.some(({ ContactId }) => ContactId === contactId))
      drafts.push({ at, draft: { table: ROLES, body: { OpportunityId: id, ContactId: contactId, IsPrimary: true } } })
  }
  const note = (ats: readonly { readonly at: number }[], answers: readonly PerItem<unknown>[]) => {
    for (const [i, answer] of answers.entries()) if (answer instanceof DriverError) results.set(ats[i]?.at as number, ofStep(answer))
  }
  // Roles are taken away before they are given: an opportunity has one primary contact at most.
  const ordered = [...patches].sort((one, other) => Number(one.patch.body.IsPrimary) - Number(other.patch.body.IsPrimary))
  if (ordered.length > 0) note(ordered, await writes.update(ordered.map(({ patch }) => patch)))
  if (drafts.length > 0) note(drafts, await writes.create(drafts.map(({ draft }) => draft)))
  return changes.map((_, at) => results.get(at) as PerItem<true>)
}

function noContact(id: string): DriverError {
  const message = `${quotedValue(id)} is no contact of Salesforce.`
  return new DriverError('platform_rejected', message, { errors: [{ field: 'ContactID', code: 'value', message }] })
}
