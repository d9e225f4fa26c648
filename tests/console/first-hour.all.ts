import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { crm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser?.close())

const open = async (address: string): Promise<Page> => {
  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  page.setDefaultTimeout(120_000)
  await page.goto(address)
  return page
}

/** A new service, and what makes links to it. */
async function started() {
  const cwd = await temporaryFolder()
  const service = await startService(cwd)
  const link = async (...words: string[]) => {
    const { code, out, err } = await crm(['sign-in', '--at', service.url, ...words], { cwd })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return (JSON.parse(out) as { Link: string }).Link
  }
  return { cwd, service, link }
}

describe('a sign-in link', () => {
  test('signs the admin in once, leaves the address and the log without it, and ends with Sign out', async () => {
    const { service, link } = await started()
    const address = await link()
    const ticket = address.split('/').at(-1) ?? ''
    const page = await open(address)
    await page.getByRole('heading', { name: 'No records yet' }).waitFor()
    expect(page.url()).not.toContain(ticket)
    const kept = await page.evaluate<string>("sessionStorage.getItem('crm-connector-key')")
    expect(kept).toMatch(/^crm_/)
    expect(await service.call('get_many_keys', { Filters: { Kind: 'session' } })).toMatchObject({ Records: [{ RevokedDate: null, Kind: 'session' }] })
    await page.reload()
    await page.getByRole('heading', { name: 'No records yet' }).waitFor()

    const other = await open(address)
    await other.getByText('This sign-in link was used already, or has expired. Print another where the service runs: npx crm sign-in').waitFor()
    await other.getByLabel('Key', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Key', { exact: true }).waitFor()
    await expect.poll(async () => (await service.post('get_current_user', {}, { authorization: `Bearer ${kept}` })).status).toBe(401)
    expect(service.out() + service.err()).not.toContain(ticket)
    expect(service.out() + service.err()).not.toContain(kept)
  })

  test('works in a tab that has the console open, and for another workspace', async () => {
    const { cwd, service, link } = await started()
    await crm(['workspaces', 'add', 'sandbox'], { cwd })
    const page = await open(service.url)
    await page.getByLabel('Key', { exact: true }).waitFor()
    await page.goto(await link('--workspace', 'sandbox'))
    await page.getByText('admin · sandbox').waitFor()
    const unknown = await crm(['sign-in', '--workspace', 'sandbx'], { cwd })
    expect({ code: unknown.code, err: unknown.err }).toEqual({ code: 4, err: expect.stringContaining('sandbox') })
  })

  test('is only made by those who can read the store', async () => {
    const { cwd, service } = await started()
    const refused = await crm(['sign-in', '--url', service.url], { cwd })
    expect({ code: refused.code, out: refused.out }).toEqual({ code: 6, out: '' })
    const forged = await fetch(`${service.url}/sign-in/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ Ticket: 'x'.repeat(100) }),
    })
    expect([forged.status, ((await forged.json()) as { code: string }).code]).toEqual([401, 'unauthenticated'])
    const command = /^ {2}(node \/\S+ sign-in --platform sqlite:\/\S+ --at \S+)$/m.exec(service.out())?.[1] ?? ''
    expect(command).toContain(service.url)
    // As it is printed, in any folder.
    expect(execFileSync('sh', ['-c', command], { cwd: tmpdir(), encoding: 'utf8' })).toContain(`${service.url}/#/sign-in/`)
    expect(service.out()).not.toContain('#/sign-in/')
  })
})

describe('Load demo data', () => {
  test('fills a workspace of its own, shows it, and both can be switched between until it is deleted', async () => {
    const { cwd, service, link } = await started()
    const page = await open(await link())
    await Promise.all([page.getByRole('progressbar').waitFor(), page.getByRole('button', { name: 'Load demo data' }).click()])
    await page.getByRole('combobox', { name: 'Workspace' }).waitFor()
    await page.getByText('Pipeline by stage').waitFor()
    const menu = page.getByRole('combobox', { name: 'Workspace' })
    expect([await menu.inputValue(), await menu.locator('option').allInnerTexts()]).toEqual(['demo', ['default', 'demo']])
    expect((JSON.parse((await crm(['get_summary_of_leads', '--workspace', 'demo'], { cwd })).out) as { Total: number }).Total).toBe(500)
    expect(((await service.call('get_many_leads')) as { Records: unknown[] }).Records).toEqual([])

    await menu.selectOption('default')
    await page.getByRole('heading', { name: 'No records yet' }).waitFor()
    await page.getByRole('button', { name: 'Load demo data' }).click()
    await page.getByText('The workspace demo has demo data already.').waitFor()
    await page.getByRole('button', { name: 'Load it into another' }).waitFor()
    await page.getByRole('button', { name: 'Open demo' }).click()
    await page.getByText('Pipeline by stage').waitFor()
    expect(JSON.parse((await crm(['workspaces', 'list'], { cwd })).out)).toEqual({ Workspaces: ['default', 'demo'] })
    await menu.selectOption('default')
    await page.getByRole('heading', { name: 'No records yet' }).waitFor()
    await page.getByRole('link', { name: 'Workspaces' }).click()
    await page.getByRole('button', { name: 'Delete demo' }).click()
    await page.getByLabel('Type demo to confirm').fill('demo')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Being deleted').or(page.getByText('demo is being erased.')).first().waitFor()
    await page.reload()
    await page.getByText('admin · default').waitFor()
    expect(await page.getByRole('button', { name: 'Open demo' }).count()).toBe(0)
    expect(await page.getByRole('combobox', { name: 'Workspace' }).count()).toBe(0)
  })

  test('is opened again from another sign-in, on the overview and among the workspaces, also when the command made it', async () => {
    const { cwd, link } = await started()
    await crm(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'], { cwd })
    await crm(['demo', '--size', '10', '--months', '1'], { cwd })
    await crm(['workspaces', 'add', 'sandbox'], { cwd })
    const page = await open(await link())
    const shown = page.getByRole('combobox', { name: 'Workspace' })
    await page.getByText('admin · default').waitFor()
    await page.goto(`${page.url().split('#')[0]}#/workspaces`)
    await page.getByRole('button', { name: 'Open demo' }).click()
    await expect.poll(() => shown.inputValue()).toBe('demo')
    await page.getByText('Pipeline by stage').waitFor()
    await shown.selectOption('default')
    // The menu is disabled until the page has begun anew.
    await expect.poll(async () => (await shown.isEnabled()) && (await shown.inputValue())).toBe('default')
    await page.goto(`${page.url().split('#')[0]}#/workspaces`)
    await page.getByRole('button', { name: 'Delete sandbox' }).waitFor()
    expect(await page.getByRole('button', { name: 'Open sandbox' }).count()).toBe(0)
    // The key that the tab has is used again.
    const keys = async () => (JSON.parse((await crm(['get_many_keys', '--workspace', 'demo'], { cwd })).out) as { Records: unknown[] }).Records.length
    const before = await keys()
    await page.getByRole('button', { name: 'Open demo' }).click()
    await expect.poll(() => shown.inputValue()).toBe('demo')
    expect(await keys()).toBe(before)
  })

  test('offers what is there, and says how to open a workspace of that name that it has not made', async () => {
    const { cwd, link } = await started()
    await crm(['workspaces', 'add', 'demo'], { cwd })
    const page = await open(await link())
    await page.getByRole('button', { name: 'Load demo data' }).click()
    await page.getByText('There is a workspace demo already. On the server, npx crm sign-in --workspace demo prints a link to it.').waitFor()
    expect(await page.getByRole('button', { name: 'Open demo' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Load it into another' }).click()
    await page.getByText('Pipeline by stage').waitFor()

    const other = await open(await link())
    await other.getByRole('button', { name: 'Load demo data' }).click()
    await other.getByText('The workspace demo-2 has demo data already.').waitFor()
    const boxes = await other.locator('.get-started-act .button').evaluateAll((all) => all.map((one) => one.getBoundingClientRect()))
    for (const [nth, { top, left }] of boxes.entries()) {
      const last = boxes[nth - 1]
      if (last) expect(top === last.top ? left - last.right : top - last.bottom).toBeGreaterThanOrEqual(4)
    }
    await other.getByRole('button', { name: 'Open demo-2' }).click()
    await other.getByText('Pipeline by stage').waitFor()
  })

  test('lets an operator into demo data alone, and no other key into any', async () => {
    const { cwd, service } = await started()
    await crm(['workspaces', 'add', 'demo'], { cwd })
    await crm(['demo', '--size', '1', '--months', '1', '--workspace', 'trial'], { cwd })
    const { Key: reads } = await service.call('create_key', { Label: 'reads', Scopes: ['read', 'write', 'admin'] })
    const { Key: makes } = await service.call('create_key', { Label: 'makes', Scopes: ['operator:create_workspace'] })
    const ask = async (key: unknown, Workspace?: string) => {
      const how = { headers: { authorization: `Bearer ${String(key)}`, 'content-type': 'application/json' } }
      const response = await fetch(
        `${service.url}/v1/demo${Workspace ? '/open' : ''}`,
        Workspace ? { ...how, method: 'POST', body: JSON.stringify({ Workspace }) } : how,
      )
      return { status: response.status, answer: (await response.json()) as { readonly Workspaces?: string[]; readonly Ticket?: string } }
    }
    expect([(await ask(reads)).status, (await ask(reads, 'trial')).status]).toEqual([403, 403])
    expect((await ask(makes)).answer).toEqual({ Workspaces: ['trial'] })
    for (const name of ['demo', 'default', 'none']) expect((await ask(makes, name)).status, name).toBe(404)
    const { Ticket } = (await ask(makes, 'trial')).answer
    const redeem = async () => {
      const response = await fetch(`${service.url}/sign-in/link`, {
        method: 'POST',
        body: JSON.stringify({ Ticket }),
        headers: { 'content-type': 'application/json' },
      })
      return { status: response.status, ...((await response.json()) as { readonly Key?: string }) }
    }
    const { Key } = await redeem()
    expect(await (await service.post('get_current_user', {}, { authorization: `Bearer ${Key}` })).json()).toMatchObject({ Workspace: 'trial' })
    expect((await redeem()).status).toBe(401)
    // Those of a demo are no operators.
    expect((await ask(Key)).status).toBe(403)
  })

  test('needs a key that may create workspaces', async () => {
    const { cwd, service } = await started()
    const { Key } = await service.call('create_key', { Label: 'reads', Scopes: ['read', 'write', 'admin'] })
    const ask = (key: string) => fetch(`${service.url}/v1/demo`, { method: 'POST', headers: { authorization: `Bearer ${key}` } })
    expect((await ask(String(Key))).status).toBe(403)
    expect(JSON.parse((await crm(['workspaces', 'list'], { cwd })).out)).toEqual({ Workspaces: ['default'] })
  })
})
