import { setTimeout as sleep } from 'node:timers/promises'
import type { ErrorCode } from '../../../contract/errors.ts'
import { recordType } from '../../../contract/operations.ts'
import { CustomObject, Definition as DefinitionType } from '../../../contract/records/custom-object.ts'
import { NOBODY } from '../../../contract/records/user.ts'
import type { EarlierAttempt, StoredRecord, UserIds, WriteOptions, Writer } from '../../platform.ts'
import { type Account, inward } from './account.ts'
import { likenessOf } from './created-records.ts'
import type { Created, Definition } from './driver.ts'
import { DriverError } from './errors.ts'
import { holds, kinshipOf, lookFor } from './matching.ts'
import { CrmReader } from './reader.ts'
import { reconciled } from './reconciliation.ts'
import { isGathering, single } from './request-batches.ts'

/** Moments of ours may lie this far before those of the CRM, whose clock is known to the second. */
const SKEW_MS = 2_000
/** What was just created shows within this time, even on a copy of the CRM's database. */
const READ_BACK_MS = [0, 100, 300, 600, 1_000]

/** What no waiting helps with. */
const REFUSED: readonly ErrorCode[] = ['forbidden', 'platform_rejected', 'invalid_input', 'unsupported']

/** An account's records, for writing. Every write is durable when it has been answered; there is no transaction around several. */
export class CrmWriter extends CrmReader implements Writer {
  readonly earlier: EarlierAttempt | undefined
  private readonly isKnown: (id: string) => Promise<boolean>
  private readonly seen = new Map<string, StoredRecord>()
  private fresh: Definition[] = []
  private turn: Promise<() => void> | undefined

  constructor(account: Account, { userIds: people, earlier: again, requestGroup: together, isKnown = async () => false }: WriteOptions) {
    super(account, people, isGathering(together) ? together : single(account.wire))
    this.earlier = again
    this.isKnown = isKnown
  }

  /** Others in this process who read the same record to change it wait; whoever works with the CRM itself does not. */
  override async get(type: string, id: string): Promise<StoredRecord | undefined> {
    // Who holds one and waits for another could wait for ever.
    this.turn ??= this.account.turns.take(`${type} ${id}`)
    await this.turn
    const record = await super.get(type, id)
    if (record) this.seen.set(`${type} ${id}`, record)
    return record
  }

  getForReference(type: string, id: string) {
    return super.get(type, id)
  }

  /** Lets others have their turn. */
  async end(): Promise<void> {
    const done = await this.turn
    done?.()
  }

  async lockWorkspace() {}

  /** The CRM makes its own ids and moments. */
  newId() {
    return { id: '', at: this.now() }
  }

  now() {
    return new Date(this.account.wire.now()).toISOString()
  }

  async create(type: string, record: StoredRecord, on?: string): Promise<StoredRecord> {
    if (type === DefinitionType.name) {
      this.fresh.push(record as unknown as Definition)
      return record
    }
    const { wire, settleMs, births, recent } = this.account
    const people = await this.people()
    const sent = this.outward(people, type, record, true)
    if (type === CustomObject.name) await this.define(record.ObjectName as string)
    const look = (since: number, done: boolean) => lookFor(this.account, { type, sent, since: new Date(since).toISOString(), on, done, isKnown: this.isKnown })
    const likeness = likenessOf(type, sent)
    const done = births.isDone(likeness)
    const before = this.earlier && ((await this.unread(type, likeness, sent)) ?? (await look(Date.parse(this.earlier.since) - SKEW_MS, done)))
    if (this.earlier && !before && done) throw unseen(wire.name)
    if (this.earlier && !before && !this.earlier.settled) throw unsettled()
    const began = wire.now() - SKEW_MS
    const created: Created =
      before ??
      (await reconciled<Created>({
        attempt: () =>
          births.sending(kinshipOf(type, sent), async () => {
            const made = await this.requests.create(type, sent, on).catch((error: unknown) => {
              if (error instanceof DriverError && error.unknown === 'done') births.done(likeness)
              throw error
            })
            births.claim(idOf(type, made))
            return made
          }),
        look: (done) => look(began, done),
        lagMs: wire.supports.lagMs,
        settleMs,
      }))
    births.told(likeness)
    const newId = idOf(type, created)
    const whole = inward(this.account, people, type, isWhole(type, created) ? (created as StoredRecord) : await this.readBack(type, newId, { likeness, sent }))
    recent.note(type, newId, whole, on ?? (record.ObjectName as string | undefined))
    this.seen.set(`${type} ${newId}`, whole)
    return whole
  }

  async update(type: string, id: string, changes: StoredRecord): Promise<StoredRecord | undefined> {
    const { wire, settleMs, revisions, recent } = this.account
    const before = this.seen.get(`${type} ${id}`) ?? (await this.get(type, id))
    if (!before) return undefined
    const people = await this.people()
    const sent = this.outward(people, type, changes, false)
    if (this.earlier && holds(type, before, changes)) return before
    if (this.earlier && !this.earlier.settled) throw unsettled()
    const look = async (done: boolean) => {
      const now = await single(wire).get(type, id)
      return now && (done || holds(type, now, sent)) ? now : undefined
    }
    const done = await reconciled<StoredRecord | boolean>({
      attempt: () => this.requests.update(type, { id, changes: sent, before }),
      look,
      lagMs: 0,
      settleMs,
    })
    if (done === false) return undefined
    const after = revisions.after(type, id, before, inward(this.account, people, type, done === true ? await this.readBack(type, id) : done))
    recent.note(type, id, after, before.ObjectName as string | undefined)
    this.seen.set(`${type} ${id}`, after)
    return after
  }

  async delete(type: string, id: string): Promise<boolean> {
    const { wire, settleMs, recent } = this.account
    const before = this.seen.get(`${type} ${id}`)
    if (this.earlier && !this.earlier.settled) throw unsettled()
    const deleted = await reconciled<boolean>({
      attempt: () => this.requests.delete(type, id),
      look: async () => ((await single(wire).get(type, id)) ? undefined : true),
      lagMs: 0,
      settleMs,
    })
    this.seen.delete(`${type} ${id}`)
    recent.note(type, id, undefined, before?.ObjectName as string | undefined)
    return deleted
  }

  async restore(type: string): Promise<void> {
    throw new DriverError('unsupported', `${this.account.wire.name} cannot bring back a ${type} that was deleted.`)
  }

  /** Defines what the object does not have yet, and the object itself. */
  private async define(objectName: string): Promise<void> {
    const { wire } = this.account
    const known = (await wire.definitions()).filter(({ ObjectName }) => ObjectName === objectName)
    const fresh = this.fresh.filter(({ FieldName }) => !known.some((one) => one.FieldName === FieldName))
    this.fresh = []
    if (fresh.length > 0 || known.length === 0) await wire.define(objectName, fresh)
  }

  /** What is sent of a record: in the CRM's own ids, without what is the CRM's to say. */
  private outward(people: UserIds, type: string, record: StoredRecord, isNew: boolean): StoredRecord {
    const { fields: limits, authors } = this.account.wire.supports
    const { id, createdField: born, fields, hidesId } = recordType(type)
    const absent = Object.entries(limits[type] ?? {}).flatMap(([field, { absent }]) => (absent ? [field] : []))
    const own = new Set([...(hidesId ? [] : [id]), born, 'UpdatedDate', 'Revision', ...absent, ...(authors.includes(type) ? [] : ['AuthorID'])])
    const sent: StoredRecord = {}
    for (const [field, value] of Object.entries(record)) {
      if (own.has(field) || (isNew && value === null)) continue
      if (fields[field]?.refers !== 'User') sent[field] = value
      // Whoever creates without being known there leaves it to the CRM whose it is.
      else if (!isNew || people.toPlatform(value as string) !== undefined) sent[field] = this.userThere(people, value as string)
    }
    return sent
  }

  private userThere(people: UserIds, id: string): string | null {
    if (id === NOBODY) return null
    const there = people.toPlatform(id)
    // Who is not one of ours was one of theirs before.
    if (there !== undefined || !people.has(id)) return there ?? id
    const message = `This user has no PlatformUserID, and so is nobody on ${this.account.wire.name}.`
    throw new DriverError('invalid_input', message, {
      errors: [{ field: 'FieldsToUpdate.OwnerID', code: 'value', message }],
      hint: 'Say with update_user who they are there.',
    })
  }

  /** A record that the call before has made and could not read. */
  private async unread(type: string, likeness: string, sent: StoredRecord): Promise<StoredRecord | undefined> {
    const id = this.account.births.taken(likeness)
    return id === undefined ? undefined : this.readBack(type, id, { likeness, sent })
  }

  /**
   * A record that was written. Where it cannot be read just now, whoever asks again with the same key finds it; where it may not be read, it is
   * what was sent.
   */
  private async readBack(type: string, id: string, made?: { readonly likeness: string; readonly sent: StoredRecord }): Promise<StoredRecord> {
    let cause: unknown
    try {
      for (const pause of READ_BACK_MS) {
        if (pause > 0) await sleep(pause)
        const record = await this.requests.get(type, id)
        if (record) return record
      }
    } catch (error) {
      if (made && error instanceof DriverError && REFUSED.includes(error.code)) return this.assumed(type, id, made.sent)
      cause = error
    }
    if (made) this.account.births.keep(made.likeness, id)
    throw new DriverError('outcome_unknown', `${this.account.wire.name} took the ${type}, but does not show it.`, { unknown: 'done', cause })
  }

  private assumed(type: string, id: string, sent: StoredRecord): StoredRecord {
    const { id: idField, createdField: born, fields, revised } = recordType(type)
    const nothing = Object.fromEntries(Object.keys(fields).map((field) => [field, null]))
    return { ...nothing, ...sent, [idField]: id, [born]: this.now(), ...(revised && { UpdatedDate: this.now() }) }
  }
}

function idOf(type: string, created: Created): string {
  return (isWhole(type, created) ? (created as StoredRecord)[recordType(type).id] : (created as { readonly id: string }).id) as string
}

function isWhole(type: string, created: Created): boolean {
  return Object.hasOwn(created, recordType(type).id)
}

function unsettled(): DriverError {
  return new DriverError('outcome_unknown', 'A call with this Idempotency-Key was begun, and nothing is to be seen of it yet.', {
    retryAfterMs: 2_000,
    hint: 'Ask again with the same key: that tells how it ended, and carries it out if it was not.',
  })
}

function unseen(name: string): DriverError {
  return new DriverError('outcome_unknown', `${name} said that the call with this Idempotency-Key was carried out, and nothing is to be seen of it yet.`, {
    retryAfterMs: 2_000,
    hint: 'Ask again with the same key: that tells what has come of it, and never carries it out again.',
  })
}
