import { setTimeout as sleep } from 'node:timers/promises'
import { canonicalId } from '../../../contract/canonical-ids.ts'
import { isCondition } from '../../../contract/conditions.ts'
import type { ErrorCode } from '../../../contract/errors.ts'
import { recordType } from '../../../contract/operations.ts'
import { CustomObject, Definition as DefinitionType } from '../../../contract/records/custom-object.ts'
import { NOBODY } from '../../../contract/records/user.ts'
import type { Budget, Conversion, Converted, EarlierAttempt, Found, Query, StoredRecord, UserIds, WriteOptions, Writer } from '../../platform.ts'
import { type Account, noteWrite, toOurRecord } from './account.ts'
import { matches } from './comparison.ts'
import type { Claimant } from './created-records.ts'
import type { Created, Definition } from './driver.ts'
import { DriverError, ofStep } from './errors.ts'
import { findCreated, hasValues, nameKeyOf, valuesKeyOf } from './matching.ts'
import { CrmReader } from './reader.ts'
import { reconcile } from './reconciliation.ts'
import { isRequestBatches, unbatched } from './request-batches.ts'
import { isOwned } from './search.ts'

/** The CRM's clock is known to the second only, so that its times may lie this far before ours. */
const SKEW_MS = 2_000
/** When a new record is read back: a replica of the CRM's database may lag a little. */
const READ_BACK_MS = [0, 100, 300, 600, 1_000]

/** Failures that do not pass by themselves. */
const REFUSED: readonly ErrorCode[] = ['forbidden', 'platform_rejected', 'invalid_input', 'unsupported']

/** Looks for what was created since a time; `current` where nothing lags, which costs more requests. */
type Search = (since: number, executed: boolean, current?: boolean) => Promise<Created | undefined>

/** An account's records, for writing. A write is durable once the CRM has answered it; there are no transactions. */
export class CrmWriter extends CrmReader implements Writer {
  readonly earlier: EarlierAttempt | undefined
  private readonly budget: Budget | undefined
  private readonly lockElsewhere: WriteOptions['lock']
  private readonly call: Claimant
  private readonly isKnown: (id: string) => Promise<boolean>
  private readonly seen = new Map<string, StoredRecord>()
  private fresh: Definition[] = []
  private begun = false
  private lock: Promise<() => void> | undefined
  private readonly names: (() => void)[] = []

  constructor(account: Account, { userIds, earlier, requestGroup, budget, lock, call, isKnown = async () => false }: WriteOptions) {
    super(account, { userIds }, isRequestBatches(requestGroup) ? requestGroup : unbatched(account.driver))
    this.earlier = earlier
    this.budget = budget
    this.lockElsewhere = lock
    this.call = call ?? Symbol('call')
    this.isKnown = isKnown
  }

  /** Locks the record against other writers of this connector. Users who work in the CRM itself are not held back. */
  override async get(type: string, given: string): Promise<StoredRecord | undefined> {
    const id = canonicalId(this.account.driver, type, given)
    // One lock a writer: two that each have one and wait for the other's would be a deadlock.
    this.lock ??= this.locked(`${type} ${id}`)
    await this.lock
    const record = await super.get(type, id)
    if (record) this.seen.set(`${type} ${id}`, record)
    return record
  }

  /** What a write looks for by a value that the CRM keeps unique is read by it, since searches may lag behind. */
  override async find(type: string, query: Query): Promise<Found> {
    const [only, ...others] = query.where
    const { driver } = this.account
    if (!driver.getUnique || !only || others.length > 0 || !isCondition(only) || query.after) return super.find(type, query)
    const { field, name, through, operator, value } = only
    const isPlain = operator === 'eq' && typeof value === 'string' && name === undefined && !through
    const found = isPlain ? await driver.getUnique(type, field, value) : undefined
    if (!found) return super.find(type, query)
    const userIds = await this.userIds()
    const records = found.map((record) => toOurRecord(this.account, userIds, type, record))
    return { records: records.filter((record) => matches(record, only) && isOwned(type, query.owners, record)).slice(0, query.limit), more: false }
  }

  getForReference(type: string, id: string) {
    return super.get(type, id)
  }

  private async locked(record: string): Promise<() => void> {
    const release = await this.account.locks.take(record)
    try {
      const releaseElsewhere = await this.lockElsewhere?.(record)
      return () => {
        releaseElsewhere?.()
        release()
      }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Releases the lock. */
  async end(): Promise<void> {
    const release = await this.lock?.catch(() => undefined)
    release?.()
    for (const releaseName of this.names) releaseName()
  }

  async lockWorkspace() {}

  async lockName(name: string) {
    this.names.push(await this.locked(name))
  }

  /** The CRM assigns ids and times itself. */
  newId() {
    return { id: '', at: this.now() }
  }

  now() {
    return new Date(this.account.driver.now()).toISOString()
  }

  async create(type: string, record: StoredRecord, on?: string): Promise<StoredRecord> {
    if (type === DefinitionType.name) {
      this.fresh.push(record as unknown as Definition)
      return record
    }
    const userIds = await this.userIds()
    const sent = this.toSend(userIds, type, record, true)
    this.begin()
    if (type === CustomObject.name) await this.define(record.ObjectName as string)
    const created = await this.createOnce(type, sent, on)
    const newId = idOf(type, created)
    const whole = toOurRecord(this.account, userIds, type, isWhole(type, created) ? (created as StoredRecord) : await this.readBack(type, newId, sent))
    noteWrite(this.account, type, newId, whole, on ?? (record.ObjectName as string | undefined))
    this.seen.set(`${type} ${newId}`, whole)
    return whole
  }

  /** Creates a record in the CRM's own words, unless an earlier attempt, or one whose answer is lost, has created it. */
  private async createOnce(type: string, sent: StoredRecord, on?: string): Promise<Created> {
    const { driver, reconcileMs, searchMs, createdRecords } = this.account
    const search: Search = (since, executed, current = false) =>
      findCreated(this.account, { type, sent, since: asSince(since), on, executed, current, by: this.call, isKnown: this.isKnown })
    const before = this.earlier && (await this.foundAgain(this.earlier, type, sent, search))
    const began = driver.now()
    return (
      before ??
      (await reconcile<Created>({
        send: () =>
          createdRecords.whileSending(nameKeyOf(type, sent), async () => {
            const made = await this.requests.create(type, sent, on)
            createdRecords.claim(idOf(type, made), this.call)
            return made
          }),
        search: (executed) => search(began, executed),
        lagMs: driver.supports.lagMs,
        reconcileMs,
        searchMs,
      }))
    )
  }

  async update(type: string, id: string, changes: StoredRecord, unchanged = false): Promise<StoredRecord | undefined> {
    const { driver, reconcileMs, searchMs, revisions } = this.account
    const before = this.seen.get(`${type} ${id}`) ?? (await this.get(type, id))
    if (!before) return undefined
    const userIds = await this.userIds()
    const sent = this.toSend(userIds, type, changes, false)
    if (this.earlier && hasValues(type, before, changes)) return before
    this.checkSettled()
    this.begin()
    const search = async (executed: boolean) => {
      const now = await unbatched(driver).get(type, id)
      return now && (executed || hasValues(type, now, sent)) ? now : undefined
    }
    const updated = await reconcile<StoredRecord | boolean>({
      send: () => this.requests.update(type, { id, changes: sent, before, unchanged }),
      search,
      lagMs: 0,
      reconcileMs,
      searchMs,
    })
    if (updated === false) return undefined
    const after = revisions.after(type, id, before, toOurRecord(this.account, userIds, type, updated === true ? await this.readBack(type, id) : updated))
    noteWrite(this.account, type, id, after, before.ObjectName as string | undefined)
    this.seen.set(`${type} ${id}`, after)
    return after
  }

  async delete(type: string, id: string): Promise<boolean> {
    this.checkSettled()
    return this.deleted(type, id, () => this.requests.delete(type, id))
  }

  /** A record that is gone is asked for only where the CRM erases what was deleted before. An earlier attempt that is executed later does no harm. */
  async purge(type: string, id: string): Promise<boolean> {
    const erase = this.account.driver.erasing?.(type)
    if (erase) return this.deleted(type, id, () => erase(id))
    return this.seen.has(`${type} ${id}`) && this.deleted(type, id, () => this.requests.delete(type, id))
  }

  private async deleted(type: string, id: string, send: () => Promise<boolean>): Promise<boolean> {
    const { driver, reconcileMs, searchMs } = this.account
    const before = this.seen.get(`${type} ${id}`)
    this.begin()
    const deleted = await reconcile<boolean>({
      send,
      search: async () => ((await unbatched(driver).get(type, id)) ? undefined : true),
      lagMs: 0,
      reconcileMs,
      searchMs,
    })
    this.seen.delete(`${type} ${id}`)
    noteWrite(this.account, type, id, undefined, before?.ObjectName as string | undefined)
    return deleted
  }

  async restore(type: string): Promise<void> {
    throw new DriverError('unsupported', `${this.account.driver.name} cannot bring back a ${type} that was deleted.`)
  }

  get convertLead(): ((conversion: Conversion) => Promise<Converted>) | undefined {
    const { driver } = this.account
    if (!driver.convertLead) return undefined
    return async ({ opportunity, ...conversion }) => {
      const sent = opportunity && this.toSend(await this.userIds(), 'Opportunity', opportunity, true)
      this.checkSettled()
      this.begin()
      const converted = await (driver.convertLead as NonNullable<typeof driver.convertLead>)({
        ...conversion,
        opportunity: sent,
        isRetried: this.earlier !== undefined,
        create: async (type, record) => idOf(type, await this.createOnce(type, record).catch(throwStep)),
      })
      await this.noteConversion(conversion.leadId, converted)
      return converted
    }
  }

  /**
   * Lists may leave a converted lead out, and show what it has become, so that open searches begin anew. Where searches lag behind, it is read and shown
   * meanwhile.
   */
  private async noteConversion(leadId: string, { companyId, contactId, opportunityId }: Converted): Promise<void> {
    const { driver, searches, recentWrites } = this.account
    const written = Object.entries({ Lead: leadId, Company: companyId, Contact: contactId, Opportunity: opportunityId })
    for (const [type, id] of written) {
      if (id === undefined) continue
      searches.outdate(type)
      if (driver.supports.lagMs === 0) continue
      const [record] = await this.getAll(type, [id]).catch((error: unknown) => {
        // It has been converted, whether or not it can be read.
        if (error instanceof DriverError) return []
        throw error
      })
      recentWrites.note(type, id, record)
    }
  }

  /** Defines the fields that the object does not have yet, and the object where there is none. */
  private async define(objectName: string): Promise<void> {
    const { driver } = this.account
    const known = (await driver.definitions()).filter(({ ObjectName }) => ObjectName === objectName)
    const fresh = this.fresh.filter(({ FieldName }) => !known.some((one) => one.FieldName === FieldName))
    this.fresh = []
    const open = fresh.find(({ Type, Values }) => (Type === 'Choice' || Type === 'Choices') && !Values)
    if (open) throw new DriverError('unsupported', `${driver.name} keeps choices as a list: ${open.FieldName} needs Values.`)
    if (fresh.length > 0 || known.length === 0) await driver.define(objectName, fresh)
  }

  /** The fields that are sent: with the CRM's user ids, without those that the CRM itself sets or has no place for. */
  private toSend(userIds: UserIds, type: string, record: StoredRecord, isNew: boolean): StoredRecord {
    const { fields: limits, authors } = this.account.driver.supports
    const { id, createdField, fields, internalId } = recordType(type)
    const absent = Object.entries(limits[type] ?? {}).flatMap(([field, { absent }]) => (absent ? [field] : []))
    const own = new Set([...(internalId ? [] : [id]), createdField, 'UpdatedDate', 'Revision', ...absent, ...(authors.includes(type) ? [] : ['AuthorID'])])
    const sent: StoredRecord = {}
    for (const [field, value] of Object.entries(record)) {
      if (own.has(field) || (isNew && value === null)) continue
      if (fields[field]?.refers !== 'User') sent[field] = value
      // A caller without a user in the CRM leaves the owner of a new record to the CRM.
      else if (!isNew || userIds.toPlatform(value as string) !== undefined) sent[field] = this.platformUser(userIds, value as string)
    }
    return sent
  }

  private platformUser(userIds: UserIds, id: string): string | null {
    if (id === NOBODY) return null
    const platformId = userIds.toPlatform(id)
    // An id that is none of our users' is the CRM's own, as it was read before.
    if (platformId !== undefined || !userIds.has(id)) return platformId ?? id
    const message = `This user has no PlatformUserID, and so cannot own records on ${this.account.driver.name}.`
    throw new DriverError('invalid_input', message, {
      errors: [{ field: 'FieldsToUpdate.OwnerID', code: 'value', message }],
      hint: 'Set PlatformUserID with update_user to the id of their user there.',
    })
  }

  /** The record that an earlier attempt has created; undefined where it has not, and can no longer do so. */
  private async foundAgain({ agoMs, known }: EarlierAttempt, type: string, sent: StoredRecord, search: Search): Promise<Created | undefined> {
    const { driver, createdRecords } = this.account
    if (known?.id !== undefined) return this.readBack(type, known.id, sent)
    // By the CRM's clock, which its records are dated with.
    const since = driver.now() - agoMs
    const found = await search(since, known !== undefined)
    if (found) return found
    const values = valuesKeyOf(type, sent)
    if (known && (this.waitMs > 0 || !createdRecords.wasGuessed(values, asSince(since)))) throw executedUnseen(driver.name)
    this.checkSettled()
    // What may have been executed before is sent again only where that is certain not to be so.
    const current = driver.supports.lagMs > 0 ? await search(since, known !== undefined, true) : undefined
    if (!current && known) createdRecords.forgetGuess(values)
    return current
  }

  /** Throws while an earlier attempt may still be executed. */
  private checkSettled(): void {
    if (this.waitMs > 0) throw maybeUnderWay(this.account.driver.name, this.waitMs)
  }

  private get waitMs(): number {
    return this.earlier?.waitMs ?? 0
  }

  /** Throws where the call's time is over before it has sent anything. So it is known until when a call whose process has crashed can have sent. */
  private begin(): void {
    if (!this.begun && this.budget?.isOver) throw this.budget.signal.reason
    this.begun = true
  }

  /**
   * Reads a record that was just written. Where that fails for now, its id is kept for a retry with the same key; where reading is not allowed,
   * the record is assumed to be what was sent.
   */
  private async readBack(type: string, id: string, made?: StoredRecord): Promise<StoredRecord> {
    let cause: unknown
    try {
      for (const pause of READ_BACK_MS) {
        if (pause > 0) await sleep(pause)
        const record = await this.requests.get(type, id)
        if (record) return record
      }
    } catch (error) {
      if (made && error instanceof DriverError && REFUSED.includes(error.code)) return this.assumed(type, id, made)
      cause = error
    }
    throw new DriverError('outcome_unknown', `${this.account.driver.name} has written the ${type}, but does not show it yet.`, {
      unknown: 'done',
      ...(made && { createdId: id }),
      cause,
    })
  }

  private assumed(type: string, id: string, sent: StoredRecord): StoredRecord {
    const { id: idField, createdField, fields, revised } = recordType(type)
    const nothing = Object.fromEntries(Object.keys(fields).map((field) => [field, null]))
    return { ...nothing, ...sent, [idField]: id, [createdField]: this.now(), ...(revised && { UpdatedDate: this.now() }) }
  }
}

function idOf(type: string, created: Created): string {
  return (isWhole(type, created) ? (created as StoredRecord)[recordType(type).id] : (created as { readonly id: string }).id) as string
}

function isWhole(type: string, created: Created): boolean {
  return Object.hasOwn(created, recordType(type).id)
}

/** The earliest moment that a record can be dated with which was created then. */
const asSince = (ms: number) => new Date(ms - SKEW_MS).toISOString()

function throwStep(error: unknown): never {
  throw error instanceof DriverError ? ofStep(error) : error
}

function maybeUnderWay(name: string, waitMs: number): DriverError {
  const seconds = Math.ceil(waitMs / 1000)
  const message = `${name} has not answered an earlier call with this Idempotency-Key, and may execute it within the next ${seconds} s; nothing of it is visible yet.`
  return new DriverError('outcome_unknown', message, {
    retryAfterMs: waitMs,
    hint: `Call again with the same key in ${seconds} s: that reports how it ended, and executes it if it was not executed. Earlier, a call with the key only looks.`,
  })
}

function executedUnseen(name: string): DriverError {
  return new DriverError('outcome_unknown', `${name} has executed the call with this Idempotency-Key, but does not show the record yet.`, {
    retryAfterMs: 2_000,
    hint: 'Call again with the same key: that reports the record, and never executes it twice.',
  })
}
