import { afterIn, bodyOf, created, flagIn, type Handler, limitIn, ok, paged, pagingAfter, textIn } from './call.ts'
import { conflict, invalid, notFound } from './errors.ts'
import type { Owner } from './portal.ts'
import { instant } from './properties/values.ts'

function shownOwner({ createdAt, userId, ...owner }: Owner): object {
  const time = instant(createdAt)
  return { ...owner, type: 'PERSON', userId, userIdIncludingInactive: userId, createdAt: time, updatedAt: time, archived: false }
}

export const listOwners: Handler = (call) => {
  const { portal, request } = call
  const limit = limitIn(call, 100, 500)
  const email = request.query.get('email')?.toLowerCase()
  const after = afterIn(call)
  const owners = flagIn(call, 'archived') ? [] : portal.owners
  const matching = owners.filter((owner) => (!email || owner.email.toLowerCase() === email) && (after === undefined || Number(owner.id) > Number(after)))
  const { page, more } = paged(matching, limit)
  return ok({ results: page.map(shownOwner), ...(more && pagingAfter(call, page.at(-1)?.id ?? '')) })
}

export const getOwner: Handler = (call) => {
  const id = call.param('id')
  const byUser = call.request.query.get('idProperty') === 'userId'
  const found = call.portal.owners.find((owner) => (byUser ? String(owner.userId) : owner.id) === id)
  if (!found || flagIn(call, 'archived')) throw notFound()
  return ok(shownOwner(found))
}

/**
 * Creates an owner, for tests. The real service has no such endpoint: its owners are the users that an administrator invites.
 */
export const createOwner: Handler = (call) => {
  const { portal } = call
  const body = bodyOf(call, ['email'])
  const email = textIn(body, 'email') as string
  if (!email.includes('@')) throw invalid(`${email} is not an email address.`)
  if (portal.owners.some((owner) => owner.email.toLowerCase() === email.toLowerCase())) throw conflict(`There is already an owner with the email ${email}.`)
  return created(shownOwner(portal.addOwner(email, textIn(body, 'firstName') ?? '', textIn(body, 'lastName') ?? '')))
}
