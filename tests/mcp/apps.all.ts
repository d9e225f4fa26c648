import type { Client } from '@modelcontextprotocol/client'
import AxeBuilder from 'axe-core'
import type { Browser, Frame } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { openMcp, REVISIONS, talkTo } from '../support/mcp.ts'
import { startServer, type TestServer } from '../support/server.ts'

const APP = 'ui://crm'
const SHOWS = { capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } } }

let server: TestServer
let browser: Browser
beforeAll(async () => {
  server = await startServer()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

/** A page that embeds an app as clients do: in a sandbox without an origin, with no way to the network, and with messages only. */
const HOST = `<!doctype html><title>Host</title><iframe sandbox="allow-scripts" style="width:100%;height:600px;border:0" title="app"></iframe><script>
  const frame = document.querySelector('iframe')
  let shown
  window.show = (html, one) => { shown = one; frame.srcdoc = html }
  addEventListener('message', async ({ source, data: { id, method, params } }) => {
    if (source !== frame.contentWindow) return
    const send = (message) => source.postMessage({ jsonrpc: '2.0', ...message }, '*')
    if (method === 'ui/initialize') send({ id, result: { protocolVersion: params.protocolVersion, hostCapabilities: {}, hostContext: { theme: shown.theme, toolInfo: { tool: { name: shown.tool } } } } })
    if (method === 'ui/notifications/initialized') {
      send({ method: 'ui/notifications/tool-input', params: { arguments: shown.arguments } })
      send({ method: 'ui/notifications/tool-result', params: shown.result })
    }
    if (method === 'tools/call') send({ id, result: await window.callTool(params) })
  })
</script>`

interface Shown {
  readonly frame: Frame
  /** What the page has asked the network for. */
  readonly requests: readonly string[]
  readonly result: Awaited<ReturnType<Client['callTool']>>
}

/** Calls a tool, and shows its answer in the app, as a client does. */
async function show(client: Client, name: string, args: object, theme = 'light'): Promise<Shown> {
  const result = await client.callTool({ name, arguments: { ...args } })
  const [{ text = '' } = {}] = (await client.readResource({ uri: APP })).contents as { text?: string }[]
  const page = await browser.newPage({ viewport: { width: 390, height: 700 } })
  onTestFinished(() => page.close())
  const requests: string[] = []
  page.on('request', (request) => void (request.url().startsWith('about:') || requests.push(request.url())))
  await page.setContent(HOST)
  await page.exposeFunction('callTool', (params: { name: string; arguments: Record<string, unknown> }) => client.callTool(params))
  await page.evaluate(
    ([html, one]) => (window as unknown as { show(html: string, one: object): void }).show(html as string, one as object),
    [text, { tool: name, arguments: args, result, theme }],
  )
  const frame = page.frames().at(-1) as Frame
  await frame.locator('#app > *').first().waitFor()
  return { frame, requests, result }
}

async function violations(frame: Frame): Promise<string[]> {
  await frame.evaluate(AxeBuilder.source)
  const { violations: found } = (await frame.evaluate('axe.run(document)')) as { violations: { id: string; help: string }[] }
  return found.map(({ id, help }) => `${id}: ${help}`)
}

test('tools name the page only to clients that show it, in both revisions', async () => {
  for (const revision of REVISIONS) {
    const [plain, showing] = [await talkTo(server.url, server.key, { revision }), await talkTo(server.url, server.key, { revision, options: SHOWS })]
    const named = async ({ client }: typeof plain) => (await client.listTools()).tools.filter(({ _meta }) => _meta?.ui).map(({ name }) => name)
    expect(await named(plain)).toEqual([])
    expect(await named(showing)).toEqual(expect.arrayContaining(['get_many_leads', 'get_summary_opportunity', 'delete_lead', 'undo_change', 'search']))
    expect((await showing.client.readResource({ uri: APP })).contents).toMatchObject([{ uri: APP, mimeType: 'text/html;profile=mcp-app' }])
  }
})

test.each(['light', 'dark'])('records are a table that goes on, in which nothing of them is markup: %s', async (theme) => {
  const mark = `<img src=x onerror=document.title='taken'>`
  for (let i = 0; i < 25; i++) await server.call('create_case', { Subject: `${theme} ${i}`, Description: mark })
  const client = await openMcp(server.url, server.key, { options: SHOWS })
  onTestFinished(() => client.close())
  const { frame, requests } = await show(client, 'get_many_cases', { Filters: { Subject: { startsWith: theme } }, OrderBy: 'CreatedDate asc' }, theme)
  expect(await frame.locator('tbody tr').count()).toBe(20)
  expect(await frame.locator('tbody').innerText()).toContain(mark)
  expect(await frame.locator('html').getAttribute('data-theme')).toBe(theme)
  await frame.getByRole('button', { name: 'Show more' }).click()
  await frame.locator('tbody tr').nth(24).waitFor()
  expect(await frame.locator('tbody tr').count()).toBe(25)
  expect(await frame.title()).not.toBe('taken')
  expect(await violations(frame)).toEqual([])
  expect(requests).toEqual([])
})

test('the pipeline is a chart with its exact numbers', async () => {
  await server.call('create_opportunity', { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31', Amount: 1200 })
  const client = await openMcp(server.url, server.key, { options: SHOWS })
  onTestFinished(() => client.close())
  const { frame } = await show(client, 'get_summary_opportunity', {})
  expect(await frame.getByRole('img').getAttribute('aria-label')).toContain('Prospecting 1,200.00')
  expect(await frame.locator('tbody').innerText()).toMatch(/Prospecting\s+1,200\.00\s+1/)
  expect(await violations(frame)).toEqual([])
})

test('a person confirms a delete in the page, with a token that the model never sees', async () => {
  const { LeadID } = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  const client = await openMcp(server.url, server.key, { query: '?confirm=deletes', options: SHOWS })
  onTestFinished(() => client.close())
  const {
    frame,
    result: { content, structuredContent, _meta },
  } = await show(client, 'delete_lead', { LeadID })
  expect(JSON.stringify([content, structuredContent])).not.toContain(String(_meta?.ConfirmationToken))
  expect(await frame.locator('.difference').innerText()).toContain('Lovelace')
  expect(await violations(frame)).toEqual([])
  await frame.getByRole('button', { name: 'Allow' }).click()
  await frame.locator('tbody', { hasText: String(LeadID) }).waitFor()
  expect((await server.call('get_many_leads', { Filters: { LeadID } })).Records).toEqual([])
})

test('a person leaves what they do not want deleted', async () => {
  const { LeadID } = await server.call('create_a_lead', { FirstName: 'Grace', LastName: 'Hopper' })
  const client = await openMcp(server.url, server.key, { query: '?confirm=deletes', options: SHOWS })
  onTestFinished(() => client.close())
  const { frame } = await show(client, 'delete_lead', { LeadID })
  await frame.getByRole('button', { name: 'Leave it' }).click()
  await frame.getByText('It stays as it is.').waitFor()
  expect((await server.call('get_many_leads', { Filters: { LeadID } })).Records).toHaveLength(1)
})
