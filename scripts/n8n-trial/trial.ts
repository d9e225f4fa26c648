/** npm run test:n8n: the node in a real n8n, from its linter to workflows with faults. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { startEdge } from './edge.ts'
import { cache, install, N8N, root, run, sourcesBeside } from './install.ts'
import { prepareN8n, type Row, startCrm, until } from './running.ts'
import { CRM, createLead, itemsOf, START, workflowOf } from './workflows.ts'

const begun = Date.now()
const log = (text: string) => console.log(`${text} (${Math.round((Date.now() - begun) / 1000)} s)`)

log(`n8n ${N8N} in ${cache}`)
const installed = await install()
await run(process.execPath, [join(root, 'scripts/build.js')], root)
await run(process.execPath, [join(root, 'scripts/n8n/build.js')], root)

const folder = mkdtempSync(join(tmpdir(), 'crm-n8n-'))
const crm = await startCrm(join(folder, 'crm'))
const edge = await startEdge(crm.url)
const n8n = await prepareN8n(installed, folder)

/** Stops everything that was started, whatever happens. */
async function cleanUp(): Promise<void> {
  await n8n.stop()
  edge.close()
  await crm.stop()
  rmSync(folder, { recursive: true, force: true })
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void cleanUp().finally(() => process.exit(1)))

let passed = 0
async function check(what: string, work: () => unknown): Promise<void> {
  await work()
  passed++
  log(`✓ ${what}`)
}

interface Ran {
  readonly status: string
  readonly data: {
    readonly resultData: { readonly runData: { readonly [node: string]: readonly { readonly data: { readonly main: (readonly Item[] | null)[] } }[] } }
  }
}
interface Item {
  readonly json: Row
  readonly pairedItem?: unknown
}

async function imported(workflow: object): Promise<void> {
  const file = join(folder, 'workflow.json')
  writeFileSync(file, JSON.stringify(workflow))
  await n8n.command('import:workflow', `--input=${file}`)
}

/** Runs a workflow with n8n's own command. Resolves to the output of each node in each of its runs. */
async function executed(id: string): Promise<Ran['data']['resultData']['runData']> {
  const out = await n8n.command('execute', `--id=${id}`, '--rawOutput')
  const ran = JSON.parse(/^\{$[\s\S]*^\}$/m.exec(out)?.[0] ?? '{}') as Ran
  assert.equal(ran.status, 'success')
  return ran.data.resultData.runData
}

const outputOf = (runs: Awaited<ReturnType<typeof executed>>, node: string, output = 0, runIndex = 0) => runs[node]?.[runIndex]?.data.main[output] ?? []
const leadsCalled = async (LastName: string) => (await crm.call('get_many_leads', { Filters: { LastName } })).Records as { LeadID: string }[]
const hooks = async () => (await crm.call('get_many_webhooks')).Records as Row[]

async function trial(): Promise<void> {
  await check("n8n's linter for community nodes finds nothing", async () => {
    const sources = sourcesBeside(installed.linter)
    cpSync(join(installed.linter, 'node_modules/@n8n/node-cli/dist/template/templates/shared/default/eslint.config.mjs'), join(sources, 'eslint.config.mjs'))
    const bin = join(installed.linter, 'node_modules/.bin')
    const env = { ...process.env, PATH: `${join(installed.node, '..')}:${bin}:${process.env.PATH}`, CI: '1' }
    const out = await run(join(bin, 'n8n-node'), ['lint'], sources, env)
    assert.doesNotMatch(out, /\b(warning|error)\b/i, out)
  })

  await check('the sources agree with the declarations of n8n itself', async () => {
    const sources = sourcesBeside(installed.linter)
    const options = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { typeRoots: [join(root, 'node_modules/@types')], paths: {} },
      include: ['nodes', 'credentials'],
    }
    writeFileSync(join(sources, 'tsconfig.json'), JSON.stringify(options))
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', sources], root)
  })

  await check('the package is packed, and installed as a community node', async () => {
    const nodes = join(n8n.home, '.n8n/nodes')
    mkdirSync(nodes, { recursive: true })
    writeFileSync(join(nodes, 'package.json'), '{ "name": "installed-nodes", "private": true }')
    const [{ filename }] = JSON.parse(await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], join(root, 'n8n'))) as [
      { filename: string },
    ]
    await run('npm', ['install', '--no-audit', '--no-fund', join(folder, filename)], nodes)
    assert.deepEqual(
      Object.keys(
        (JSON.parse(readFileSync(join(nodes, 'node_modules/n8n-nodes-crm-connector/package.json'), 'utf8')) as { dependencies?: object }).dependencies ?? {},
      ),
      [],
    )
  })

  await check('credentials and the workflow of ten steps are imported, and the workflow runs', async () => {
    const data = (url: string) => ({ baseUrl: url, apiKey: crm.key })
    const credentials = [
      { id: 'crmConnectorExample', name: 'CRM Connector', type: 'crmConnectorApi', data: data(`${crm.url}/`) },
      { id: 'crm', name: 'crm', type: 'crmConnectorApi', data: data(crm.url) },
      { id: 'edge', name: 'edge', type: 'crmConnectorApi', data: data(edge.url) },
    ]
    writeFileSync(join(folder, 'credentials.json'), JSON.stringify(credentials))
    await n8n.command('import:credentials', `--input=${join(folder, 'credentials.json')}`)
    await n8n.command('import:workflow', `--input=${join(root, 'examples/n8n-workflow.json')}`)
    const runs = await executed('crmConnectorExample')
    const { nodes } = JSON.parse(readFileSync(join(root, 'examples/n8n-workflow.json'), 'utf8')) as { nodes: { name: string }[] }
    for (const { name } of nodes) assert.ok(outputOf(runs, name).length > 0, `${name} put nothing out`)
    const json = (name: string) => outputOf(runs, name)[0]?.json ?? {}
    assert.equal(json('Create lead').Email, 'ada@example.com')
    assert.equal(json('Create campaign').Status, 'Active')
    assert.deepEqual([json('Update opportunity').Stage, json('Update opportunity').Amount, json('Update opportunity').Revision], ['Negotiation', 1500, 2])
    assert.deepEqual(
      outputOf(runs, 'Find opportunities').map(({ json: { OpportunityName, Amount } }) => [OpportunityName, Amount]),
      [['Analytical engine', 1500]],
    )
    assert.deepEqual([json('Sum up opportunities').Total, json('Sum up opportunities').TotalAmount], [1, 1500])
    assert.deepEqual(json('Create custom object').Values, { Harbour: 'Kiel', HullLength: 7.5, Sails: true })
    assert.equal(json('Add comment').Publish, true)
    assert.deepEqual(json('Delete lead'), { LeadID: json('Create lead').LeadID, Deleted: true })
    const { Records } = (await crm.call('get_many_changes', { Filters: { IdempotencyKey: { startsWith: 'n8n-' } } })) as { Records: Row[] }
    assert.equal(Records.length, 8)
  })

  await check('"Retry On Fail" duplicates nothing when an answer is lost', async () => {
    edge.befall('unheard')
    const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 }
    await imported(workflowOf('retry', [START, { ...createLead('Retried', settings), credentials: 'edge' }]))
    const created = outputOf(await executed('retry'), 'Create lead')
    assert.equal(edge.keys.length, 2)
    assert.equal(new Set(edge.keys).size, 1)
    assert.deepEqual(await leadsCalled('Retried').then((leads) => leads.map(({ LeadID }) => LeadID)), [created[0]?.json.LeadID])
  })

  await check('a Base URL that leads elsewhere is an error, and writes nothing', async () => {
    edge.keys.length = 0
    edge.befall('moved')
    await imported(workflowOf('moved', [START, { ...createLead('Moved', { onError: 'continueRegularOutput' }), credentials: 'edge' }]))
    const [refused] = outputOf(await executed('moved'), 'Create lead')
    assert.match(String(refused?.json.error), new RegExp(`redirects \\(301\\) to ${crm.url}`))
    assert.deepEqual([edge.keys.length, await leadsCalled('Moved')], [1, []])
  })

  await check('a node in a loop writes at each run, with items in pairs', async () => {
    const loop = { name: 'Loop', type: 'n8n-nodes-base.splitInBatches', parameters: { options: {} }, settings: { typeVersion: 3 } }
    const steps = [START, ...itemsOf(['a', 'b', 'c']), loop, createLead('=Looped {{ $json.name }}')]
    const to = (node: string) => ({ node, type: 'main', index: 0 })
    await imported(
      workflowOf('loop', steps, {
        Start: { main: [[to('List')]] },
        List: { main: [[to('Items')]] },
        Items: { main: [[to('Loop')]] },
        Loop: { main: [[], [to('Create lead')]] },
        'Create lead': { main: [[to('Loop')]] },
      }),
    )
    const runs = await executed('loop')
    assert.equal(runs['Create lead']?.length, 3)
    for (const name of ['a', 'b', 'c']) assert.equal((await leadsCalled(`Looped ${name}`)).length, 1)
  })

  await check('items that are refused go on as items with code and faults, or to the error output', async () => {
    const more = { additionalFields: { Email: '={{ $json.name }}' } }
    for (const [onError, output] of [
      ['continueRegularOutput', 0],
      ['continueErrorOutput', 1],
    ] as const) {
      await imported(workflowOf(onError, [START, ...itemsOf(['a@example.com', 'nowhere', 'b@example.com']), createLead(onError, { onError }, more)]))
      const runs = await executed(onError)
      const items = outputOf(runs, 'Create lead', output)
      const refused = items.filter(({ json }) => json.error !== undefined)
      assert.equal(refused.length, 1)
      const { code, errors = [] } = (refused[0]?.json.details ?? {}) as { code?: string; errors?: Row[] }
      assert.deepEqual([code, errors.map(({ field }) => field)], ['invalid_input', ['Email']])
      assert.deepEqual(refused[0]?.pairedItem, { item: 1 })
      assert.equal(outputOf(runs, 'Create lead').length, output === 0 ? 3 : 2)
      assert.equal((await leadsCalled(onError)).length, 2)
    }
  })

  await check('fields that the workspace has defined are mapped', async () => {
    await crm.call('define_field', { RecordType: 'Lead', FieldName: 'Score', Kind: 'integer' })
    await crm.call('define_field', { RecordType: 'Lead', FieldName: 'Tier', Kind: 'choice', Values: ['Gold', 'Silver'] })
    await crm.call('define_field', { RecordType: 'Lead', FieldName: 'Tags', Kind: 'choices', Values: ['a', 'b, c'] })
    const column = { defaultMatch: false, canBeUsedToMatch: false, display: true, required: false }
    const options = ['Gold', 'Silver'].map((name) => ({ name, value: name }))
    const schema = [
      { ...column, id: 'Score', displayName: 'Score', type: 'number' },
      { ...column, id: 'Tags', displayName: 'Tags', type: 'array' },
      { ...column, id: 'Tier', displayName: 'Tier', type: 'options', options },
    ]
    const value = { Score: '={{ 40 + 2 }}', Tier: 'Gold', Tags: "={{ ['a', 'b, c'] }}" }
    const WorkspaceFields = { mappingMode: 'defineBelow', value, matchingColumns: [], schema }
    await imported(workflowOf('mapped', [START, createLead('Mapped', {}, { WorkspaceFields })]))
    const [created] = outputOf(await executed('mapped'), 'Create lead')
    const { Score, Tier, Tags } = await crm.call('get_leads', { LeadID: created?.json.LeadID })
    assert.deepEqual({ Score, Tier, Tags }, { Score: 42, Tier: 'Gold', Tags: ['a', 'b, c'] })
  })

  const events = (type: string, label: string, parameters: object) => [
    { name: 'On lead', type: `n8n-nodes-crm-connector.${type}`, parameters: { events: ['lead.created'], ...parameters } },
    { name: 'Add note', parameters: { resource: 'lead', operation: 'addNote', LeadID: '={{ $json.RecordID }}', Note: label } },
  ]
  await imported(workflowOf('webhooked', events('crmConnectorTrigger', 'by webhook', {})))
  await imported(workflowOf('polled', events('crmConnectorPollingTrigger', 'by polling', { pollTimes: { item: [{ mode: 'everyMinute' }] } })))
  const webhook = {
    name: 'Webhook',
    type: 'n8n-nodes-base.webhook',
    parameters: { httpMethod: 'POST', path: 'retried-execution', options: {} },
    settings: { typeVersion: 2 },
  }
  await imported(workflowOf('half', [webhook, ...itemsOf(['one', 'two']), { ...createLead('=Half {{ $json.name }}'), credentials: 'edge' }]))

  const asked = "={{ $fromAI('name', 'The last name', 'string') }}"
  const retried = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 }
  const tool = { ...createLead(asked, retried), type: `${CRM}Tool`, credentials: 'edge' }
  const served = { name: 'Agents', type: '@n8n/n8n-nodes-langchain.mcpTrigger', parameters: { path: 'crm-tools' }, settings: { typeVersion: 2 } }
  await imported(workflowOf('agents', [served, tool], { 'Create lead': { ai_tool: [[{ node: 'Agents', type: 'ai_tool', index: 0 }]] } }))

  await n8n.start()
  const activate = async (id: string) => {
    const { versionId } = (await n8n.rest('GET', `/rest/workflows/${id}`)) as { versionId: string }
    await n8n.rest('POST', `/rest/workflows/${id}/activate`, { versionId })
  }

  await check('n8n knows the nodes, and the one that agents use as a tool', async () => {
    const types = (await n8n.rest('GET', '/types/nodes.json')) as { name: string }[]
    const names = types.map(({ name }) => name).filter((name) => name.startsWith('n8n-nodes-crm-connector.'))
    assert.deepEqual(
      names.sort(),
      ['crmConnector', 'crmConnectorPollingTrigger', 'crmConnectorTool', 'crmConnectorTrigger'].map((name) => `n8n-nodes-crm-connector.${name}`),
    )
  })

  await check('n8n tests the credentials, right ones and wrong ones', async () => {
    const tested = async (baseUrl: string, apiKey = crm.key) => {
      const credentials = { id: 'crm', name: 'crm', type: 'crmConnectorApi', data: { baseUrl, apiKey } }
      return (await n8n.rest('POST', '/rest/credentials/test', { credentials })) as { status: string; message: string }
    }
    assert.equal((await tested(crm.url)).status, 'OK')
    assert.equal((await tested(`  ${crm.url}/ `)).status, 'OK')
    assert.equal((await tested(crm.url, 'crm_wrong')).status, 'Error')
    edge.befall('moved')
    assert.deepEqual(await tested(edge.url), { status: 'Error', message: 'Moved Permanently' })
    edge.befall('other')
    assert.deepEqual(await tested(edge.url), { status: 'Error', message: 'The server at the Base URL is not the CRM Connector.' })
  })

  await check('n8n lists campaigns and fields while a node is set up', async () => {
    const asked = (parameters: object) => ({
      path: 'parameters.x',
      nodeTypeAndVersion: { name: CRM, version: 1 },
      currentNodeParameters: { resource: 'opportunity', operation: 'getMany' },
      credentials: { crmConnectorApi: { id: 'crm', name: 'crm' } },
      ...parameters,
    })
    const listed = (await n8n.rest(
      'POST',
      '/rest/dynamic-node-parameters/resource-locator-results',
      asked({ methodName: 'searchCampaigns', filter: 'spring' }),
    )) as Row
    assert.deepEqual(
      (listed.results as Row[]).map(({ name }) => name),
      ['Spring fair'],
    )
    const fields = (await n8n.rest('POST', '/rest/dynamic-node-parameters/options', asked({ methodName: 'getFields' }))) as Row[]
    assert.ok(fields.some(({ value }) => value === 'CloseDate'))
    const mapped = (await n8n.rest(
      'POST',
      '/rest/dynamic-node-parameters/resource-mapper-fields',
      asked({ methodName: 'getWorkspaceFields', currentNodeParameters: { resource: 'lead', operation: 'create' } }),
    )) as { fields: Row[] }
    assert.deepEqual(
      mapped.fields.map(({ id, type }) => [id, type]),
      [
        ['Score', 'number'],
        ['Tags', 'array'],
        ['Tier', 'options'],
      ],
    )
  })

  await check('as a tool it writes once for each call, also where the answer is lost', async () => {
    await activate('agents')
    const client = await until(
      'The tools are served',
      async () => {
        const one = new Client({ name: 'trial', version: '1' })
        await one.connect(new StreamableHTTPClientTransport(new URL(`${n8n.url}/mcp/crm-tools`)))
        return one
      },
      60,
    )
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ description }) => description),
      ['Create a lead in CRM Connector'],
    )
    edge.keys.length = 0
    edge.befall('unheard', 'unheard')
    const call = async (name: string) => {
      const { content, isError } = await client.callTool({ name: tools[0]?.name ?? '', arguments: { name } })
      assert.ok(!isError, JSON.stringify(content))
    }
    await call('By an agent')
    await call('By an agent')
    await call('By the same agent')
    await client.close()
    assert.equal(edge.keys.length, 5)
    assert.deepEqual([new Set(edge.keys.slice(0, 3)).size, new Set(edge.keys).size], [1, 3])
    assert.deepEqual([(await leadsCalled('By an agent')).length, (await leadsCalled('By the same agent')).length], [2, 1])
  })

  await activate('polled')
  const notesOf = async (LeadID: string, label: string) =>
    ((await crm.call('get_many_notes', { RecordID: LeadID })).Records as { Note: string }[]).filter(({ Note }) => Note === label).length
  const born = async (LastName: string) => String((await crm.call('create_a_lead', { FirstName: 'Ada', LastName })).LeadID)
  const once = (leads: readonly string[], label: string, seconds: number) =>
    until(
      `Every lead is noted ${label}`,
      async () => ((await Promise.all(leads.map((lead) => notesOf(lead, label)))).every((count) => count > 0) ? true : undefined),
      seconds,
    )
  const exactlyOnce = async (leads: readonly string[], label: string) =>
    assert.deepEqual(
      await Promise.all(leads.map((lead) => notesOf(lead, label))),
      leads.map(() => 1),
    )

  const leads: string[] = []
  await check('a workflow with the trigger registers its webhook and runs once for each event', async () => {
    await activate('webhooked')
    // n8n publishes a workflow in its own time.
    const hook = await until('The webhook is registered', async () => (await hooks())[0], 60)
    assert.deepEqual([hook.EventTypes, hook.Active, (await hooks()).length], [['lead.created'], true, 1])
    for (const name of ['Event 1', 'Event 2', 'Event 3']) leads.push(await born(name))
    await once(leads, 'by webhook', 60)
    await exactlyOnce(leads, 'by webhook')
    const forged = { 'webhook-id': 'x', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)), 'webhook-signature': 'v1,AAAA' }
    assert.equal((await fetch(String(hook.URL), { method: 'POST', headers: forged, body: '{}' })).status, 401)
    const form = new FormData()
    form.set('a', 'b')
    assert.equal((await fetch(String(hook.URL), { method: 'POST', body: form })).status, 401)
    assert.equal((await fetch(String(hook.URL), { method: 'POST', headers: forged, body: form })).status, 400)
    // n8n reads a body before it asks the node, and answers by itself where it is too large.
    assert.equal((await fetch(String(hook.URL), { method: 'POST', body: Buffer.alloc(20 * 2 ** 20) })).status, 500)
  })

  await check('an execution that is retried writes only what the failed one has not', async () => {
    edge.keys.length = 0
    edge.befall(undefined, 'refused')
    await activate('half')
    const address = String((await hooks())[0]?.URL).replace(/\/webhook\/.*/, '/webhook/retried-execution')
    await until('The workflow listens', async () => ((await fetch(address, { method: 'POST' })).ok ? true : undefined), 60)
    const failed = await until('The execution has failed', () => newestOf('half', 'error'), 60)
    assert.equal((await leadsCalled('Half one')).length, 1)
    await n8n.rest('POST', `/rest/executions/${failed}/retry`, { loadWorkflow: false })
    await until('The retried execution has succeeded', () => newestOf('half', 'success'), 60)
    assert.deepEqual([(await leadsCalled('Half one')).length, (await leadsCalled('Half two')).length], [1, 1])
    assert.equal(edge.keys.length, 4)
    assert.equal(new Set(edge.keys).size, 2)
  })

  async function newestOf(workflowId: string, status: string): Promise<string | undefined> {
    const filter = encodeURIComponent(JSON.stringify({ workflowId, status: [status] }))
    const { results } = (await n8n.rest('GET', `/rest/executions?filter=${filter}&limit=5`)) as { results: { id: string }[] }
    return results[0]?.id
  }

  await check('what happened while n8n was down runs once it is back', async () => {
    await n8n.stop()
    for (const name of ['Down 1', 'Down 2']) leads.push(await born(name))
    await n8n.start()
    await once(leads, 'by webhook', 90)
    await exactlyOnce(leads, 'by webhook')
    assert.equal((await hooks()).length, 1)
  })

  await check('the polling trigger brings all of it too, each event once', async () => {
    await once(leads, 'by polling', 150)
    await exactlyOnce(leads, 'by polling')
  })

  await check('a workflow that is deactivated leaves no webhook behind', async () => {
    await n8n.rest('POST', '/rest/workflows/webhooked/deactivate', {})
    await until('The webhook is removed', async () => ((await hooks()).length === 0 ? true : undefined), 60)
    await exactlyOnce(leads, 'by webhook')
    // What was forged before has failed no execution.
    assert.equal(await newestOf('webhooked', 'error'), undefined)
  })
}

try {
  await trial()
  log(`${passed} checks passed with n8n ${N8N}`)
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await cleanUp()
}
