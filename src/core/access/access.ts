import { CrmError } from '../../contract/errors.ts'
import type { Operation, Tier, Verb } from '../../contract/operation.ts'
import { OPERATIONS, quote, RECORD_TYPES, STORE_TYPES } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { Change, SHARED } from '../../contract/records/change.ts'
import { CustomObject, Definition } from '../../contract/records/custom-object.ts'
import { attachedIn, EVENT_TYPES, type EventType } from '../../contract/records/event.ts'
import { OwnField } from '../../contract/records/own-field.ts'
import type { Role } from '../../contract/records/user.ts'
import { FIRST_WORKSPACE } from '../../contract/records/workspace.ts'
import { isForAdmins, mayCall, split } from '../../contract/scopes.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import type { Binding } from '../binding.ts'
import type { Caller } from '../service.ts'

/** The allow step: refuses what the caller's role or key does not allow, and callers who have no user on the platform of the records. */
export function allow(binding: Binding, caller: Caller, operation: Operation): void {
  allowOperation(caller, operation)
  if (!isOnPlatform(operation)) return
  const { platform } = binding
  // An admin acts for the account as a whole.
  if (platform.supports.ownUsers || caller.role === 'admin' || caller.platformUserId) return
  throw new CrmError('forbidden', `This user has no PlatformUserID, and so cannot work on ${platform.name}.`, {
    hint: 'An admin can set PlatformUserID with update_user.',
  })
}

/** Whether an operation is about records that are kept on the platform. Every caller may describe them. */
const isOnPlatform = ({ record, verb }: Operation) => !STORE_TYPES.includes(record.name) && verb !== 'describe'

/** Whether the caller's role and key allow an operation. */
export const isAllowed = (caller: Caller, { id }: Operation) => allowanceOf(caller).has(id)

/** Whether they allow any but `get_current_user`, which every caller may call. */
export const isAllowedAny = (caller: Caller) => allowanceOf(caller).size > 1

/** Refuses what the caller's role or key does not allow. */
export function allowOperation(caller: Caller, operation: Operation): void {
  if (isAllowed(caller, operation)) return
  if (isForAdmins(operation.tier) && caller.role !== 'admin') {
    throw new CrmError('forbidden', `${operation.name} is for admins.`, { hint: `Your role is ${caller.role}. Ask an admin of this workspace.` })
  }
  if (operation.tier === 'operator' && caller.workspace.number !== FIRST_WORKSPACE)
    throw new CrmError('forbidden', `${operation.name} is for operators.`, {
      hint: 'Only admins of the first workspace, default, may have the scope operator.',
    })
  throw new CrmError('forbidden', `This key does not allow ${operation.name}.`, {
    hint: `It needs the scope ${operation.tier}, ${operation.tier}:${operation.record.name} or ${operation.tier}:${operation.id}, and has ${caller.scopes.join(', ') || 'none'}.`,
  })
}

/** Refuses what a key would have to allow for a whole record type. */
export function allowTier(caller: Caller, tier: Tier, type: RecordType, what: string): void {
  if (caller.scopes.some((scope) => scope === tier || scope === `${tier}:${type.name}`)) return
  throw new CrmError('forbidden', `${what} needs the scope ${tier} or ${tier}:${type.name}.`, { hint: `This key has ${caller.scopes.join(', ') || 'none'}.` })
}

/** The verbs that show whole records. */
const SHOWING: readonly Verb[] = ['get', 'getMany']

/** Whether an operation shows whole records of this type. Those of custom objects are shown with their definitions; those that define fields are for callers who may do so. */
const shows = ({ record, verb }: Operation, { name }: RecordType) =>
  name === OwnField.name ? verb === 'defineField' : SHOWING.includes(verb) && record.name === (name === Definition.name ? CustomObject.name : name)

/** Whether the caller may read records of this type at all. */
export function mayRead(caller: Caller, type: RecordType): boolean {
  const allowed = allowanceOf(caller)
  return OPERATIONS.some((one) => shows(one, type) && allowed.has(one.id))
}

/** Record types that have an operation to read them. */
const READABLE = RECORD_TYPES.filter((type) => OPERATIONS.some((one) => shows(one, type)))

/** Record types that the caller may not read; neither the audit nor the events show them. */
export function hiddenTypes(caller: Caller): string[] {
  return READABLE.filter((type) => !mayRead(caller, type)).map(({ name }) => name)
}

/** Whether the caller may read what an event shows beside its record: notes, comments and memberships, which `get` shows and `getMany` does not. */
function mayReadAttached(caller: Caller, { record, happening }: EventType): boolean {
  const attached = attachedIn(happening)
  const allowed = allowanceOf(caller)
  const shows = (one: Operation) => (one.verb === 'get' && one.record.name === record.name) || (one.verb === 'getAttached' && one.record.name === attached)
  return attached === undefined || OPERATIONS.some((one) => shows(one) && allowed.has(one.id))
}

/** Events about something attached that the caller may not read, on records that they may read; neither the audit nor the events show them. */
export function hiddenEvents(caller: Caller): string[] {
  return EVENT_TYPES.filter((one) => !mayReadAttached(caller, one)).map(({ type }) => type)
}

/** The types of events that the caller may read, memoised. */
export function readableEvents(caller: Caller): ReadonlySet<string> {
  let readable = events.get(caller)
  if (!readable) {
    readable = new Set(EVENT_TYPES.filter((one) => mayRead(caller, one.record) && mayReadAttached(caller, one)).map(({ type }) => type))
    events.set(caller, readable)
  }
  return readable
}

const events = new WeakMap<Caller, ReadonlySet<string>>()

/** The operations that each caller may call, memoised. */
const allowances = new WeakMap<Caller, ReadonlySet<string>>()

function allowanceOf(caller: Caller): ReadonlySet<string> {
  let allowed = allowances.get(caller)
  if (!allowed) {
    allowed = new Set(OPERATIONS.filter((one) => mayCall(caller, one)).map(({ id }) => id))
    allowances.set(caller, allowed)
  }
  return allowed
}

/** Whether one of these scopes includes another. */
export function covers(scopes: readonly string[], wanted: string): boolean {
  const [tier, only] = split(wanted)
  const record = OPERATIONS.find(({ id }) => id === only)?.record.name
  return scopes.some((scope) => {
    const [ownTier, ownOnly] = split(scope)
    return ownTier === tier && (ownOnly === undefined || ownOnly === only || (record !== undefined && ownOnly === record))
  })
}

/** Whether users of a role may have a key with this scope. */
export function roleAllows(role: Role, scope: string): boolean {
  return role === 'admin' || !isForAdmins(split(scope)[0])
}

/** Whether the caller may see what belongs to this user. */
export function sees(caller: Caller, userId: string): boolean {
  return caller.sees === undefined || caller.sees.has(userId)
}

/** Whether the caller may see this record; every caller sees what the workspace shares. */
export function seesRecord(caller: Caller, type: RecordType, record: StoredRecord): boolean {
  return type.belongs === null || record[type.belongs] === SHARED || sees(caller, record[type.belongs] as string)
}

/** The owners a search is limited to. */
export function ownersFor(caller: Caller, type: RecordType): { owners?: readonly string[] } {
  if (caller.sees === undefined || type.belongs === null) return {}
  return { owners: type.name === Change.name ? [...caller.sees, SHARED] : [...caller.sees] }
}

/** The same error for a record that does not exist and for one the caller may not see, so that it does not reveal which. */
export function notFound(type: RecordType, id: string, field: string = type.id, hint?: string): CrmError {
  const message = `There is no ${type.name} ${quote(id)}, or none that you may see.`
  return new CrmError('not_found', message, { errors: [{ field, code: 'not_found', message }], ...(hint && { hint }) })
}
