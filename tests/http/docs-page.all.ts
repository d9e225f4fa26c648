import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ERROR_CODES } from '../../src/contract/errors.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { EVENT_TYPES } from '../../src/contract/records/event.ts'
import { launchBrowser } from '../support/browser.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let browser: Browser
beforeAll(async () => {
  server = await startServer()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

/** A page that notes what it asks for and what it complains about. */
async function open(path: string): Promise<{ page: Page; asked: string[]; complaints: string[] }> {
  const page = await browser.newPage()
  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(`${server.url}${path}`)
  return { page, asked, complaints }
}

describe('/docs', () => {
  test('shows every operation under its record type, and every event, and asks nothing of anyone else', async () => {
    const { page, asked, complaints } = await open('/docs')
    await page.waitForSelector('.opblock')
    expect(await page.title()).toBe('CRM Connector: API reference')
    expect(await page.locator('.opblock-tag-section .opblock-post').count()).toBe(OPERATIONS.length + 1)
    expect(await page.locator('.webhooks .opblock-post').count()).toBe(EVENT_TYPES.length)
    expect(await page.locator('.opblock-tag').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining('Leads'), expect.stringContaining('Custom objects')]),
    )
    expect(asked.filter((url) => !url.startsWith(server.url) && !url.startsWith('data:'))).toEqual([])
    expect(complaints).toEqual([])
    await page.close()
  })

  test('carries out what is tried, with the key given to Authorize', async () => {
    const { page, complaints } = await open('/docs')
    const block = page.locator('#operations-Leads-create_a_lead')
    await block.locator('.opblock-summary').click()
    await block.locator('.execute').click()
    await block.locator('.live-responses-table .response-col_status').getByText('401').waitFor()
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([])

    await page.locator('.scheme-container .btn.authorize').click()
    await page.locator('.modal-ux input').fill(server.key)
    await page.locator('.modal-ux .btn.authorize').click()
    await page.locator('.modal-ux .btn-done').click()
    await block.locator('textarea').fill(JSON.stringify({ FirstName: 'Tried', LastName: 'Out' }))
    await block.locator('.execute').click()
    await block.locator('.live-responses-table .response-col_status').getByText('200').waitFor()
    expect(await block.locator('.live-responses-table').innerText()).toContain('"FirstName": "Tried"')
    expect(await server.call('get_many_leads', { Filters: { FirstName: 'Tried' } })).toMatchObject({ Records: [{ LastName: 'Out' }] })
    await page.close()
  })

  test('forgets the key when it is loaded again', async () => {
    const { page } = await open('/docs')
    await page.waitForSelector('.opblock')
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')).not.toContain(server.key)
    await page.close()
  })

  test('narrows what is shown to what is typed', async () => {
    const { page } = await open('/docs')
    await page.waitForSelector('.opblock')
    await page.locator('.operation-filter-input').fill('Cases')
    await expect.poll(() => page.locator('.opblock-tag').count()).toBe(1)
    await page.close()
  })
})

describe('/docs/errors', () => {
  test('explains every code at the place a problem points to', async () => {
    const { page, complaints } = await open('/docs/errors#conflict')
    expect(await page.locator('tbody tr').count()).toBe(ERROR_CODES.length)
    for (const code of ERROR_CODES) expect(await page.locator(`#${code}`).innerText()).toContain(code)
    expect(await page.evaluate("document.querySelector(':target').id")).toBe('conflict')
    expect(complaints).toEqual([])
    await page.close()
  })
})

describe('/', () => {
  test('leads to the reference', async () => {
    const { page, complaints } = await open('/')
    await page.getByText('API reference').click()
    await page.waitForSelector('.opblock')
    expect(complaints).toEqual([])
    await page.close()
  })
})

describe('the assets', () => {
  test.each([
    ['swagger-ui.css', 'text/css; charset=utf-8'],
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
    ['docs.js', 'text/javascript; charset=utf-8'],
    ['page.css', 'text/css; charset=utf-8'],
    ['docs.css', 'text/css; charset=utf-8'],
    ['favicon-32x32.png', 'image/png'],
  ])('%s is served as what it is, once', async (name, type) => {
    const first = await fetch(`${server.url}/docs/${name}`)
    expect([first.status, first.headers.get('content-type')]).toEqual([200, type])
    const plain = await fetch(`${server.url}/docs/${name}`, { headers: { 'accept-encoding': 'identity' } })
    const bytes = Buffer.from(await plain.arrayBuffer())
    expect(bytes.equals(Buffer.from(await first.arrayBuffer()))).toBe(true)
    // What is small, or compressed already, is sent as it is.
    expect(first.headers.get('content-encoding')).toBe(name.endsWith('png') || bytes.length < 1024 ? null : 'gzip')
    expect((await fetch(`${server.url}/docs/${name}`, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })).status).toBe(304)
  })
})
