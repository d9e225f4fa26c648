import { CrmError } from 'crm-connector'
import { lossLines } from 'crm-connector/contract'
import { useEffect, useState } from 'react'
import { useWrite } from '../data/write.ts'
import { Badge, type Tone } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Difference } from '../parts/difference.tsx'
import { Icon } from '../parts/icon.tsx'
import { Nothing } from '../parts/states.tsx'
import { momentText, Person, Time } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import { BatchRecords, callsText, isBatch, recordsText } from './batch-plan.tsx'
import { operationName, pathOf, RECORD_PAGES, recordName, typeName } from './change-text.ts'
import type { Plan } from './pending.ts'
import { imageBefore, type Staleness } from './staleness.ts'

export type PlanState = Plan['State'] | 'expired'

/** A plan whose time has passed is never executed, although its stored state stays `waiting`. */
export const stateOf = ({ State, ExpiresDate }: Plan, now: number): PlanState => (State === 'waiting' && Date.parse(ExpiresDate) <= now ? 'expired' : State)

const LABELS: { readonly [state in PlanState]: string } = { waiting: 'Waiting', done: 'Done', refused: 'Refused', expired: 'Expired' }
const TONES: { readonly [state in PlanState]: Tone } = { waiting: 'warn', done: 'good', refused: 'bad', expired: 'plain' }

/** The current time, updated every second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** The record after the dry run; null where it would be deleted. */
function imageAfter({ Preview }: Plan): { readonly [field: string]: unknown } | null {
  const fields = Object.entries((Preview.Difference ?? {}) as { readonly [field: string]: { readonly To: unknown } })
  return fields.every(([, { To }]) => To === null) ? null : Object.fromEntries(fields.map(([field, { To }]) => [field, To]))
}

const STALE: { readonly [staleness in Staleness]: string } = {
  changed: 'has changed since this was requested, so the values below are out of date',
  deleted: 'no longer exists',
}
const ASK_AGAIN = 'Refuse it; it can then be requested again.'

interface Props {
  readonly plan: Plan
  readonly now: number
  readonly keyName: string | undefined
  /** Set where the record is no longer the one that was previewed. */
  readonly staleness: Staleness | undefined
  readonly onDecided: () => void
}

/** One delete that waits for confirmation, or that was decided. */
export function ConfirmationCard({ plan, now, keyName, staleness, onDecided }: Props) {
  const { crm, may, me } = useSession()
  const write = useWrite()
  const [loading, setAsking] = useState<'allow' | 'refuse'>()
  const [before, after] = [imageBefore(plan), imageAfter(plan)]
  const state = stateOf(plan, now)
  const batch = isBatch(plan)
  const subject = batch ? callsText(plan) : `‘${recordName(plan.RecordType, plan.RecordID, before)}’`
  const name = batch ? recordsText(plan) : `${typeName(plan.RecordType, before)} ${subject}`
  const path = batch || state === 'done' || staleness === 'deleted' ? undefined : pathOf(plan.RecordType, plan.RecordID, before)
  const allow = async () => {
    // Only what happens to records can be undone.
    const undoable = plan.RecordType in RECORD_PAGES
    try {
      await write(`${operationName(plan.Operation)} done.`, (options) => crm.plans.allow({ PlanID: plan.PlanID }, undoable ? options : {}), onDecided, {
        ...(batch && { batchId: plan.PlanID }),
      })
    } catch (error) {
      // The service's hint is meant for the caller that requested the delete, not for the person who decides.
      throw error instanceof CrmError && error.code === 'conflict' ? new CrmError(error.code, error.message, { hint: ASK_AGAIN, cause: error }) : error
    }
    onDecided()
  }
  const refuse = async () => {
    await write(`${operationName(plan.Operation)} refused.`, () => crm.plans.refuse({ PlanID: plan.PlanID }))
    onDecided()
  }
  return (
    <article className="card plan" data-plan={plan.PlanID}>
      <header>
        <h3>
          {operationName(plan.Operation)}: {subject}
        </h3>
        <Badge tone={TONES[state]}>{LABELS[state]}</Badge>
      </header>
      <p className="plan-by soft">
        Requested by <Person id={plan.UserID} />
        {keyName && ` with the key ‘${keyName}’`} <Time at={plan.CreatedDate} />
        {plan.DecidedBy && state !== 'waiting' && (
          <>
            {' '}
            · {state === 'done' ? 'allowed' : 'refused'} by <Person id={plan.DecidedBy} />
          </>
        )}
        {state === 'waiting' && (
          <>
            {' · '}
            <span className="plan-left" title={momentText(plan.ExpiresDate)}>
              {leftText(Date.parse(plan.ExpiresDate) - now)} left to decide
            </span>
          </>
        )}
      </p>
      {staleness && (
        <p className="plan-stale" role="status">
          <Icon name="warning" size={16} />
          <span>{`The ${typeName(plan.RecordType, before)} ${STALE[staleness]}. ${ASK_AGAIN}`}</span>
        </p>
      )}
      {state === 'waiting' && <p>{[...lossLines(plan), plan.Preview.Undoable ? 'It can be undone.' : 'It cannot be undone.'].join(' ')}</p>}
      <details open={state === 'waiting'}>
        <summary>What would change</summary>
        {batch ? (
          <BatchRecords plan={plan} />
        ) : Object.keys(before).length > 0 ? (
          <Difference before={before} after={after} recordType={plan.RecordType} />
        ) : (
          <Nothing>The preview is no longer stored.</Nothing>
        )}
      </details>
      <details>
        <summary>The call</summary>
        <Code
          label="The input of the call"
          text={JSON.stringify({ Operation: plan.Operation, Input: plan.Input, WouldWrite: plan.Preview.WouldWrite }, null, 2)}
        />
      </details>
      <footer className="plan-acts">
        {path && <Link to={path}>Open the record</Link>}
        {state === 'waiting' && may('refuse_plan') && (
          <Button icon="close" onClick={() => setAsking('refuse')}>
            Refuse
          </Button>
        )}
        {state === 'waiting' && may('allow_plan') && me.Confirm === null && !staleness && (
          <Button kind="primary" icon="check" onClick={() => setAsking('allow')}>
            Allow
          </Button>
        )}
      </footer>
      {loading === 'allow' && (
        <ConfirmDialog title={`Allow ${operationName(plan.Operation)}?`} confirmLabel="Allow" onClose={() => setAsking(undefined)} onConfirm={allow}>
          <p className="plan-question">
            {operationName(plan.Operation)} runs at once on {name}, with the rights of <Person id={plan.UserID} />.
          </p>
        </ConfirmDialog>
      )}
      {loading === 'refuse' && (
        <ConfirmDialog title={`Refuse ${operationName(plan.Operation)}?`} confirmLabel="Refuse" onClose={() => setAsking(undefined)} onConfirm={refuse}>
          <p className="plan-question">{batch ? 'Everything' : name} stays as it is, and the confirmation token becomes invalid.</p>
        </ConfirmDialog>
      )}
    </article>
  )
}

function leftText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
