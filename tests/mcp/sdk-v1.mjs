// Run by sdk-v1.all.ts, where the official SDK of the first generation is installed: it is no dependency of this project.
import assert from 'node:assert/strict'
import { delimiter, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const bin = process.env.PATH.split(delimiter).find((folder) => folder.includes('_npx'))
const load = (path) => import(pathToFileURL(join(dirname(bin), '@modelcontextprotocol/sdk/dist/esm', path)))
const { Client } = await load('client/index.js')
const { ElicitRequestSchema, ResourceUpdatedNotificationSchema } = await load('types.js')
const { StreamableHTTPClientTransport } = await load('client/streamableHttp.js')
const { StdioClientTransport } = await load('client/stdio.js')

const { how, url, key, main, folder } = JSON.parse(process.argv[2])
const transport =
  how === 'HTTP'
    ? new StreamableHTTPClientTransport(new URL(`${url}/mcp?confirm=deletes`), { requestInit: { headers: { authorization: `Bearer ${key}` } } })
    : new StdioClientTransport({ command: process.execPath, args: [main, 'mcp', '--confirm', 'deletes', '--platform', `sqlite:${folder}/crm.db`], cwd: folder })

const client = new Client({ name: 'tests', version: '0.0.0' }, { capabilities: { elicitation: {} } })
const [questions, told] = [[], []]
client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
  questions.push(params.message)
  return { action: 'accept', content: {} }
})
client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params))
await client.connect(transport)

// Where a report and the answer arrive in one chunk, the client forgets whom to report to before it has read the report.
const reports = []
const { onmessage } = transport
transport.onmessage = (message, extra) => {
  if (message.method === 'notifications/progress') reports.push([message.params.progress, message.params.total])
  onmessage(message, extra)
}

const call = async (name, input) => (await client.callTool({ name, arguments: input })).structuredContent
const { tools } = await client.listTools()
const { LeadID } = await call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
const uri = `crm://leads/${LeadID}`
const { contents } = await client.readResource({ uri })
await client.subscribeResource({ uri })
const Operations = ['Contacted', 'Qualified'].map((Status) => ({ Operation: 'update_lead', Input: { LeadID, FieldsToUpdate: { Status } } }))
await client.callTool({ name: 'batch', arguments: { Operations } }, undefined, { onprogress: () => {} })
await call('delete_lead', { LeadID })
const types = () => told.map(({ _meta }) => _meta.Event.Type)
for (let i = 0; i < 600 && !types().includes('lead.deleted'); i++) await new Promise((resolve) => setTimeout(resolve, 100))
await client.unsubscribeResource({ uri })
const { completion } = await client.complete({ ref: { type: 'ref/prompt', name: 'clear_case_queue' }, argument: { name: 'Status', value: 'N' } })
assert(Array.isArray(completion.values))
console.log(
  JSON.stringify({
    version: client.getServerVersion().name,
    tools: tools.length,
    resource: JSON.parse(contents[0].text).LastName,
    questions,
    addresses: [...new Set(told.map((one) => one.uri))].map((one) => one === uri),
    // A stream that is behind may tell of what came just before the subscription, too.
    told: types().filter((type) => type !== 'lead.created'),
    reports,
  }),
)
await client.close()
