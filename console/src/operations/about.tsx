import { ERROR_TEXTS, ERRORS, type Operation } from 'crm-connector/contract'
import { Card } from '../parts/page.tsx'
import type { Schema } from './form/shape.ts'
import { Prose } from './prose.tsx'

export function About({ operation }: { readonly operation: Operation }) {
  const members = Object.entries((operation.output as Schema).properties ?? {})
  return (
    <Card title="Answer and errors">
      <dl className="operation-members">
        {members.map(([name, schema]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Prose text={[typeText(schema), schema.description].filter(Boolean).join('. ')} />
            </dd>
          </div>
        ))}
      </dl>
      <details className="operation-errors">
        <summary>{operation.errors.length} possible errors</summary>
        <dl className="operation-members">
          {operation.errors.map((code) => (
            <div key={code}>
              <dt>{code}</dt>
              <dd>
                {ERRORS[code].status}. {ERROR_TEXTS[code].means}
              </dd>
            </div>
          ))}
        </dl>
      </details>
      <p className="operation-about">
        <a href="docs/">Documentation</a> · <a href="docs/errors">Errors</a>
      </p>
    </Card>
  )
}

function typeText({ type, format, items, title }: Schema): string {
  const types = typeof type === 'string' ? [type] : (type ?? [])
  const named = types.map((one) => (one === 'string' ? (format === 'date' || format === 'date-time' || format === 'email' ? format : 'text') : one))
  return title ?? (items?.title ? `list of ${items.title}` : named.join(' or '))
}
