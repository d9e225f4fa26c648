import { useState } from 'react'
import { isObject } from '../data/is-object.ts'
import { operationName } from '../journal/change-text.ts'
import { Button } from '../parts/button.tsx'
import { Difference } from '../parts/difference.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { momentText } from '../parts/values.tsx'
import type { ToolResult } from './host.ts'
import { type Record, RecordTable } from './record-table.tsx'

interface Props {
  readonly plan: Record
  readonly question: string
  /** Carries it out; left out where it has to be allowed elsewhere. */
  readonly allow?: () => Promise<ToolResult>
}

/** What waits to be confirmed: its difference, and the buttons with which a person decides. */
export function Confirmation({ plan, question, allow }: Props) {
  const [state, setState] = useState<'waiting' | 'busy' | 'left' | ToolResult>('waiting')
  const [error, setError] = useState<unknown>()
  const { Difference: fields = {} } = (plan.Preview ?? {}) as { Difference?: { readonly [field: string]: { From?: unknown; To?: unknown } } }
  const image = (side: 'From' | 'To') =>
    Object.fromEntries(Object.entries(fields).flatMap(([field, value]) => (isObject(value) && value[side] != null ? [[field, value[side]]] : [])))
  const [before, after] = [image('From'), image('To')]
  if (typeof state === 'object') return <RecordTable label="What was done" records={[state.structuredContent ?? {}]} />
  const act = async () => {
    setState('busy')
    setError(undefined)
    try {
      const result = await (allow as NonNullable<typeof allow>)()
      if (result.isError) throw new Error(String(result.structuredContent?.detail ?? 'It was refused.'))
      setState(result)
    } catch (thrown) {
      setError(thrown)
      setState('waiting')
    }
  }
  return (
    <article className="card app-confirmation">
      <h1>{operationName(String(plan.Operation ?? ''))}?</h1>
      {question !== '' && <p className="app-question">{question}</p>}
      {Object.keys(before).length + Object.keys(after).length > 0 && <Difference before={before} after={Object.keys(after).length > 0 ? after : null} />}
      {error !== undefined && <RefusalLine error={error} />}
      {state === 'left' ? (
        <p role="status">It stays as it is.</p>
      ) : allow ? (
        <footer className="app-acts">
          <Button onClick={() => setState('left')}>Leave it</Button>
          <Button kind="danger" busy={state === 'busy'} onClick={act}>
            Allow
          </Button>
        </footer>
      ) : (
        <p className="soft">It waits for a person with a key of their own, in the console.</p>
      )}
      {typeof plan.ExpiresDate === 'string' && <p className="soft">It can be confirmed until {momentText(plan.ExpiresDate)}.</p>}
    </article>
  )
}
