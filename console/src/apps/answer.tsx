import { useState } from 'react'
import { isObject } from '../data/is-object.ts'
import { operationName } from '../journal/change-text.ts'
import { Button } from '../parts/button.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { momentText } from '../parts/values.tsx'
import { Confirmation } from './confirmation.tsx'
import type { Arguments, Shown, ToolResult } from './host.ts'
import { figuresOf, Pipeline } from './pipeline.tsx'
import { type Record, RecordTable } from './record-table.tsx'

interface Props {
  readonly shown: Shown
  readonly callTool: (name: string, args: Arguments) => Promise<ToolResult>
}

/** The answer of a tool: what waits to be confirmed, the pipeline, a table of records, or one record. */
export function Answer({ shown: { tool, arguments: given = {}, result }, callTool }: Props) {
  if (!result) return <p className="soft">Waiting for the answer …</p>
  const answer = result.structuredContent ?? {}
  if (result.isError) return <RefusalLine error={new Error(String(answer.detail ?? textOf(result)))} />
  const plan = answer.Plan
  const token = result._meta?.ConfirmationToken ?? answer.ConfirmationToken
  if (answer.ConfirmationRequired === true && isObject(plan))
    return (
      <Confirmation
        plan={plan}
        question={String(result._meta?.Question ?? '')}
        {...(tool && typeof token === 'string' && { allow: () => callTool(tool, { ...given, ConfirmationToken: token }) })}
      />
    )
  return (
    <>
      <h1 className="seen-by-readers">{tool === undefined ? 'Answer' : operationName(tool)}</h1>
      <Content answer={answer} given={given} next={tool === undefined ? undefined : (args) => callTool(tool, { ...given, ...args })} />
    </>
  )
}

interface ContentProps {
  readonly answer: Record
  readonly given: Arguments
  readonly next: ((args: Arguments) => Promise<ToolResult>) | undefined
}

function Content({ answer, given, next }: ContentProps) {
  const figures = figuresOf(answer)
  if (figures) return <Pipeline figures={figures} />
  if (Array.isArray(answer.Records) || Array.isArray(answer.Events)) return <Pages key={JSON.stringify(given)} first={answer} next={next} />
  return <RecordTable label="The record" records={[answer]} />
}

interface PagesProps {
  readonly first: Record
  readonly next: ((args: Arguments) => Promise<ToolResult>) | undefined
}

/** Records page by page. */
function Pages({ first, next }: PagesProps) {
  const [pages, setPages] = useState<readonly Record[]>([first])
  const [loading, setLoading] = useState(false)
  const [error, setError] = useState<unknown>()
  const records = pages.flatMap((page) => (page.Records ?? page.Events) as Record[]).map(flat)
  const cursor = pages.at(-1)?.NextCursor
  const more = async () => {
    setLoading(true)
    setError(undefined)
    try {
      const { isError, structuredContent = {} } = await (next as NonNullable<typeof next>)({ ['Events' in first ? 'After' : 'Cursor']: cursor })
      if (isError) throw new Error(String(structuredContent.detail))
      setPages([...pages, structuredContent])
    } catch (thrown) {
      setError(thrown)
    } finally {
      setLoading(false)
    }
  }
  return (
    <>
      {typeof first.AsOf === 'string' && <p className="soft">As of {momentText(first.AsOf)}.</p>}
      {records.length === 0 ? <p className="soft">Nothing matches.</p> : <RecordTable label="Records" records={records} />}
      {error !== undefined && <RefusalLine error={error} />}
      {typeof cursor === 'string' && next && (
        <Button busy={loading} onClick={more}>
          Show more
        </Button>
      )}
    </>
  )
}

/** What a search has found is a record with its type. */
const flat = (record: Record): Record => (isObject(record.Record) ? { RecordType: record.RecordType, ...record.Record } : record)

const textOf = ({ content = [] }: ToolResult) => content.map(({ text = '' }) => text).join('\n')
