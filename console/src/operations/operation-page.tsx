import { isDestructive, type Operation } from 'crm-connector/contract'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import { About } from './about.tsx'
import { AnswerCard } from './answer-card.tsx'
import { ConfirmRun } from './confirm-run.tsx'
import type { Faults } from './form/faults.ts'
import { type Json, parseInput } from './form/json.ts'
import { JsonForm } from './form/json-form.tsx'
import { ObjectForm } from './form/object-form.tsx'
import { operationShape } from './form/operation-shape.ts'
import { useInput } from './input.ts'
import { TIER_TONES } from './operation-list.tsx'
import { NO_OPTIONS, type Options, OptionsForm } from './options-form.tsx'
import { Prose } from './prose.tsx'
import { Requests } from './requests/requests.tsx'
import { useRun } from './run.ts'
import './operations.css'
import './operation-page.css'
import { Nothing } from '../parts/states.tsx'

const VIEWS = [
  { id: 'form', label: 'Form' },
  { id: 'json', label: 'JSON' },
] as const

/** One operation: its form, the request in other languages, and the answer. */
export function OperationPage({ operation }: { readonly operation: Operation }) {
  const { baseUrl, description, may } = useSession()
  const [view, setView] = useState<(typeof VIEWS)[number]['id']>('form')
  const [text, setText] = useState<string>()
  const [options, setOptions] = useState<Options>(NO_OPTIONS)
  const [loading, setConfirming] = useState(false)
  const { outcome, run, reset } = useRun(operation)
  const {
    input,
    unread,
    change: setInput,
  } = useInput(operation.id, () => {
    // The typed JSON and the answer belong to the previous input.
    setText(undefined)
    setConfirming(false)
    reset()
  })
  const json = text ?? unread
  const answerRef = useRef<HTMLDivElement>(null)
  const shape = useMemo(() => operationShape(operation, description), [operation, description])
  const fault = json === undefined ? undefined : parseInput(json).fault
  const allowed = may(operation.id)
  const faults: Faults = outcome.state === 'refused' ? (outcome.error.errors ?? []) : []

  const change = (next: Json) => {
    setText(undefined)
    setInput(next)
  }
  const start = (confirmation?: string) => {
    setConfirming(false)
    void run(input, { ...options, confirmation })
  }

  // On a phone the answer is below the visible part.
  useEffect(() => {
    if (outcome.state === 'answered' || outcome.state === 'refused') answerRef.current?.scrollIntoView({ block: 'nearest', behavior: 'smooth' })
  }, [outcome])

  return (
    <Page
      title={operation.name}
      about={<Prose text={operation.description} />}
      acts={
        <div className="operation-head">
          <Badge tone={TIER_TONES[operation.tier] ?? 'plain'}>{operation.tier}</Badge>
          <code>{operation.id}</code>
          <Link to={['operations']}>All operations</Link>
        </div>
      }
    >
      <div className="operation">
        <form
          className="operation-input"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (isDestructive(operation) && !options.dryRun) setConfirming(true)
            else start()
          }}
        >
          <Card
            title="Input"
            acts={
              <>
                <Button small icon="edit" onClick={() => change(operation.example as Json)}>
                  Fill in example
                </Button>
                <Tabs label="How the input is shown" tabs={VIEWS} shown={view} onShow={setView} />
              </>
            }
          >
            {view === 'json' ? (
              <JsonForm
                text={json ?? JSON.stringify(input, null, 2)}
                onChange={(typed) => {
                  setText(typed)
                  const { value } = parseInput(typed)
                  if (value) setInput(value)
                }}
              />
            ) : (
              <>
                {fault !== undefined && (
                  <p className="operation-broken" role="alert">
                    <Icon name="warning" size={16} />{' '}
                    <span>
                      {text === undefined
                        ? `The input in the address cannot be read. ${fault} The JSON view shows it unchanged.`
                        : 'The JSON is not valid. This form shows the last valid input.'}
                    </span>
                  </p>
                )}
                {shape.members.length === 0 && Object.keys(input).length === 0 ? (
                  <Nothing>No input.</Nothing>
                ) : (
                  <ObjectForm shape={shape} value={input} onChange={(next) => change(next as Json)} faults={faults} isRoot />
                )}
              </>
            )}
            <OptionsForm operation={operation} options={options} onChange={setOptions} />
            <div className="operation-run">
              <Button
                kind={isDestructive(operation) && !options.dryRun ? 'danger' : 'primary'}
                type="submit"
                icon="play"
                busy={outcome.state === 'running'}
                disabled={!allowed || (view === 'json' && fault !== undefined)}
              >
                {options.dryRun ? 'Run without writing' : 'Run'}
              </Button>
              {outcome.state === 'running' && (
                <Button kind="quiet" onClick={reset}>
                  Stop waiting
                </Button>
              )}
              {!allowed && <p className="soft">This key does not allow this operation. You can copy the request for one that does.</p>}
            </div>
          </Card>
        </form>
        <div className="operation-other">
          <div ref={answerRef} aria-live="polite">
            <AnswerCard operation={operation} shape={shape} outcome={outcome} onConfirm={start} />
          </div>
          <Requests request={{ operation, input, baseUrl, idempotencyKey: options.idempotencyKey || undefined, dryRun: options.dryRun || undefined }} />
        </div>
        <div className="operation-about-it">
          <About operation={operation} />
        </div>
      </div>
      {loading && <ConfirmRun operation={operation} input={input} onClose={() => setConfirming(false)} onGo={() => start()} />}
    </Page>
  )
}
