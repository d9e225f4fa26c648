import { CrmError } from '../../contract/errors.ts'
import type { EarlierAttempt, Platform, Writer } from '../../platforms/platform.ts'
import type { IdempotencyEntry, StoreWriter } from '../../platforms/store.ts'
import { mapped } from '../journal/changes.ts'
import { answeredEntry, findEntry, longestCallMs, openEntry, resume, settlesAfter, storedAnswer } from '../journal/idempotency.ts'
import { changesByOthers, isInJournal } from '../journal/lines-about.ts'
import { recordWrite } from '../journal/record.ts'
import { LASTING } from '../journal/refusals.ts'
import { mirrorStore } from '../watch/mirrored.ts'
import { mirrorWritten } from '../watch/own-writes.ts'
import { readPosition } from '../watch/positions.ts'
import { userIdsOn } from '../watch/watched.ts'
import { lockRecord } from './record-locks.ts'
import type { CheckedCall, Outcome, Prepared, UsedConfirmation, Written } from './types.ts'
import { wrapError } from './wrap-error.ts'
import { whileUnderWay } from './writes-under-way.ts'

/**
 * Runs a write on a platform that is not the store. Its key is opened in the store before anything is sent and completed afterwards, so that a
 * call whose outcome is unknown is never sent again blindly: the next call with the key reconciles it. A refusal releases the key.
 */
export function runOnPlatform(checked: CheckedCall, prepared: Prepared, platform: Platform): Promise<Outcome> {
  const { service, caller } = checked
  return whileUnderWay(service.store, caller.workspace.number, () => writeOnPlatform(checked, prepared, platform))
}

async function writeOnPlatform(checked: CheckedCall, prepared: Prepared, platform: Platform): Promise<Outcome> {
  const { service, caller, call, binding, idempotency } = checked
  const { number } = caller.workspace
  const claim = await claimInStore(checked, prepared.confirmation, platform)
  if (claim.answer) return claim.answer
  async function recorded(written: Written): Promise<Outcome> {
    const { store } = service
    const position = await readPosition(store.journal(number))
    const inStore = async (writer: StoreWriter) => mappedOwners(written.inStore ? await written.inStore(writer) : written)
    const recordAlone = () => store.write(number, async (writer) => recordWrite(checked, await inStore(writer), writer))
    if (!position) return recordAlone()
    const followed = { types: position.types, userIds: await userIdsOn(platform, number) }
    return mirrorStore(store, platform)
      .write(number, async (writer) => recordWrite(checked, await mirrorWritten(writer, platform, followed, await inStore(writer)), writer))
      .catch((error: unknown) => {
        if (error instanceof CrmError || store.classify(error)) throw error
        // What the tables do not take is in the CRM all the same. The watch reports why the mirror has not got it.
        return recordAlone()
      })
  }

  async function work(writer: Writer): Promise<() => Promise<Outcome>> {
    // A verb refuses in prepare what needs the journal's part of the writer, which a platform has not.
    const written = await prepared.work(writer as StoreWriter)
    if (platform.supports.transactions) return () => recorded(written)
    // Recorded while the platform still locks the record, so that the next writer of it finds the audit line.
    const outcome = recorded(written)
    await outcome.catch(() => {})
    return () => outcome
  }

  /** What is known of the call after an error; undefined where it was refused, and nothing of it is under way. */
  function openAfter(error: unknown): OpenEnd | undefined {
    const { code } = wrapError(service, call, binding, error)
    const { earlier } = claim
    // While an earlier attempt may be under way nothing is sent, and a refusal says nothing about that attempt.
    const waits = earlier !== undefined && earlier.waitMs > 0
    if (code !== 'outcome_unknown') return earlier && (waits || !LASTING.has(code)) ? { settles: earlier.settles } : undefined
    return { settles: waits ? earlier.settles : settlesAfter(checked, platform), known: platform.classify(error)?.known }
  }

  async function send(): Promise<() => Promise<Outcome>> {
    try {
      return await platform.write(number, work, {
        earlier: claim.earlier,
        call: idempotency && `${caller.userId} ${idempotency.key}`,
        requestGroup: call.requestGroup,
        isKnown: (id) => isInJournal(checked, id),
        lock: (record) => lockRecord(service.store, number, record, checked.budget),
        budget: checked.budget,
      })
    } catch (error) {
      await endClaim(checked, claim, openAfter(error))
      throw error
    }
  }
  return (await send())()
}

const mappedOwners = ({ change, also, ...rest }: Written): Written => ({
  ...rest,
  ...(change && { change: mapped(change) }),
  ...(also && { also: also.map(mapped) }),
})

/** What the store holds while the platform is called. */
interface Claim {
  /** The stored answer of an earlier call with the key. */
  readonly answer?: Outcome | undefined
  /** Set where the outcome of an earlier call with the key is unknown, with the moment from which on it can be sent again. */
  readonly earlier?: (EarlierAttempt & { readonly settles: string }) | undefined
  /** The entry of the open key. */
  readonly entry?: IdempotencyEntry | undefined
  /** The confirmation that this call has marked as used. */
  readonly confirmation?: UsedConfirmation | undefined
}

/** Opens the key and uses the confirmation in one transaction, so that a refusal leaves neither behind. */
async function claimInStore(checked: CheckedCall, confirmation: UsedConfirmation | undefined, platform: Platform): Promise<Claim> {
  const { service, caller, idempotency } = checked
  if (!idempotency && !confirmation) return {}
  let claim: Claim = {}
  async function work(writer: StoreWriter): Promise<Claim> {
    claim = {}
    const before = await findEntry(checked, writer)
    const answer = storedAnswer(before)
    if (answer) return { answer }
    const open = before && resume(checked, before, platform)
    const uses = confirmation && open?.planId !== confirmation.planId ? confirmation : undefined
    await uses?.use(writer)
    const waits = open !== undefined && open.waitMs > 0
    const at = before && waits ? before.at : writer.now()
    const since = open?.since ?? at
    const now = service.now().getTime()
    const settles = new Date(now + (open?.waitMs ?? 0)).toISOString()
    const state = {
      since,
      settles: waits ? settles : settlesAfter(checked, platform, longestCallMs(checked, platform)),
      answered: false,
      known: open?.known,
      planId: confirmation?.planId ?? open?.planId,
    }
    const entry = idempotency && openEntry(idempotency, at, state)
    if (entry) await writer.putIdempotencyKey(caller.userId, idempotency.key, entry)
    const earlier = open && {
      agoMs: now - Date.parse(since),
      settles,
      waitMs: open.waitMs,
      known: open.known,
      changesByOthers: changesByOthers(checked, since),
    }
    claim = { earlier, entry, confirmation: uses }
    return claim
  }
  try {
    return await service.store.write(caller.workspace.number, work)
  } catch (error) {
    // The commit may have gone through, but nothing was sent.
    if (service.store.classify(error)?.code === 'outcome_unknown' && !claim.earlier) await endClaim(checked, claim, undefined)
    throw error
  }
}

const END_ATTEMPTS = 3

/** What is known of a call whose outcome is unknown. */
type OpenEnd = Parameters<typeof answeredEntry>[1]

/**
 * Ends a claim after an error: a refusal releases the key and the confirmation, an unknown outcome leaves the key open to be reconciled. Where
 * the store fails too, the caller still learns what the platform answered.
 */
async function endClaim(checked: CheckedCall, { entry, confirmation }: Claim, open: OpenEnd | undefined, attempt = 1): Promise<void> {
  const { service, caller, idempotency } = checked
  if (!entry && (open || !confirmation)) return
  async function work(writer: StoreWriter): Promise<void> {
    if (!open) await confirmation?.release(writer)
    if (!idempotency || !entry) return
    if (open) await writer.putIdempotencyKey(caller.userId, idempotency.key, answeredEntry(entry, open))
    else if ((await writer.findIdempotencyKey(caller.userId, idempotency.key))?.at === entry.at)
      await writer.releaseIdempotencyKey(caller.userId, idempotency.key)
  }
  await service.store.write(caller.workspace.number, work).catch((error) => {
    if (service.store.classify(error)?.code === 'outcome_unknown' && attempt < END_ATTEMPTS)
      return endClaim(checked, { entry, confirmation }, open, attempt + 1)
  })
}
