import type { Operation } from 'crm-connector/contract'
import { useState } from 'react'
import { Code } from '../../parts/code.tsx'
import { Card } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { curlOf } from './curl.ts'
import { isTool, mcpOf } from './mcp.ts'
import { isInNode, n8nOf } from './n8n.ts'
import type { ShownRequest } from './request.ts'
import { typescriptOf } from './typescript.ts'

const LANGUAGES = [
  { id: 'curl', label: 'curl', text: curlOf, about: 'The variable CRM_KEY holds a key of this service.' },
  { id: 'typescript', label: 'TypeScript', text: typescriptOf, about: 'With the SDK, the package crm-connector.' },
  {
    id: 'n8n',
    label: 'n8n',
    text: n8nOf,
    about: 'Paste it into a workflow, then choose your credential. Needs the node n8n-nodes-crm-connector.',
  },
  { id: 'mcp', label: 'MCP', text: mcpOf, about: 'The message that an agent posts to /mcp.' },
] as const

type Language = (typeof LANGUAGES)[number]['id']

/** Why an operation is not available in a language. */
const ABSENT: { readonly [language in Language]?: (operation: Operation) => string | undefined } = {
  mcp: (operation) => (isTool(operation) ? undefined : 'Not available as an MCP tool: administration, webhooks and approvals are left to people and programs.'),
  n8n: (operation) => (isInNode(operation) ? undefined : 'Not available in the n8n node: the answer contains a secret, and n8n stores every answer.'),
}

const NAME = 'crm-connector-language'

/** The call in other languages, to copy. */
export function Requests({ request }: { readonly request: ShownRequest }) {
  const [chosen, setChosen] = useState<Language>(() => LANGUAGES.find(({ id }) => id === localStorage.getItem(NAME))?.id ?? 'curl')
  const { text, about, label } = LANGUAGES.find(({ id }) => id === chosen) ?? LANGUAGES[0]
  const absent = ABSENT[chosen]?.(request.operation)
  return (
    <Card
      title="Request"
      acts={
        <Tabs
          label="Language"
          tabs={LANGUAGES}
          shown={chosen}
          onShow={(id) => {
            localStorage.setItem(NAME, id)
            setChosen(id)
          }}
        />
      }
    >
      {absent === undefined ? (
        <>
          <Code text={text(request)} label={`The request as ${label}`} />
          <p className="operation-about">{about}</p>
        </>
      ) : (
        <p className="operation-about">{absent}</p>
      )}
    </Card>
  )
}
