import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { consoleForFile } from '../support/console.ts'

interface Share {
  readonly Count: number
  readonly Amount: number
}
interface Deals {
  readonly Total: number
  readonly ByStage: readonly ({ readonly Stage: string } & Share)[]
  readonly ByOwner: readonly ({ readonly UserID: string } & Share)[]
  readonly Open: Share
  readonly Won: Share
  readonly Overdue: Share
  readonly ClosingSoon: Share
  readonly WinRate: number | null
}
interface Counted {
  readonly Total: number
  readonly ByStatus: readonly { readonly Status: string; readonly Count: number }[]
  readonly ByMonth: readonly { readonly Month: string; readonly Count: number }[]
  readonly Open: { readonly Count: number }
  readonly OldestOpen: { readonly CaseID: string } | null
}

/** The stage that only this service's configuration counts as lost. */
const ABANDONED = 'Abandoned'

/** How stages are written to a file, where that is not as they are: quoted, and never as a formula. */
const WRITTEN: { readonly [stage: string]: string } = { 'In "two", minds': '"In ""two"", minds"', '=1+1': "'=1+1" }

const crm = consoleForFile({
  demo: 200,
  wrap: (service) => ({ ...service, settings: { ...service.settings, lostStages: [...service.settings.lostStages, ABANDONED] } }),
})

const deals = async (input = {}) => (await crm.server.call('get_summary_opportunity', input)) as unknown as Deals
const leads = async (input = {}) => (await crm.server.call('get_summary_of_leads', input)) as unknown as Counted
const cases = async (input = {}) => (await crm.server.call('case_get_summary', input)) as unknown as Counted

const cardOf = (page: Page, title: string): Locator => page.locator('.card', { has: page.getByRole('heading', { name: title, exact: true }) })
const button = (card: Locator, name: string) => card.getByRole('button', { name, exact: true })

/** The headline figures as they are behind what is shown of them. */
async function tiles(page: Page): Promise<{ [label: string]: number }> {
  await page.locator('.overview-tiles[aria-busy="false"]').waitFor()
  const all = await page
    .locator('.tile')
    .evaluateAll((found) => found.map((tile) => [tile.querySelector('h2')?.textContent, tile.querySelector('data')?.value]))
  return Object.fromEntries(all.map(([label, value]) => [label, Number(value)]))
}

/** The rows of the table behind a chart. */
async function rowsOf(card: Locator): Promise<(string | number)[][]> {
  await button(card, 'Show as table').click()
  const rows = await card.locator('tbody tr').evaluateAll((found) => found.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)))
  return rows.map(([label = '', ...numbers]) => [label, ...numbers.map((text) => Number(text.replaceAll(',', '')))])
}

async function saved(page: Page, card: Locator, as: string) {
  const [download] = await Promise.all([page.waitForEvent('download'), button(card, as).click()])
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
}

/** The page as an admin sees it, for the tests that only look. */
let page: Page

beforeAll(async () => {
  await crm.server.call('create_opportunity', { OpportunityName: 'Given up', Stage: ABANDONED, CloseDate: '2020-01-01', Amount: 7.5 })
  await crm.server.call('create_opportunity', { OpportunityName: 'Long overdue', Stage: 'In "two", minds', CloseDate: '2020-01-02', Amount: 1234.5678 })
  await crm.server.call('create_opportunity', { OpportunityName: 'A credit', Stage: '=1+1', CloseDate: '2099-01-02', Amount: -50 })
  page = await crm.open('#/')
})

test('the figures are those of the summaries', async () => {
  const [opportunities, people, queue] = await Promise.all([deals(), leads(), cases()])
  expect(await tiles(page)).toEqual({
    'Open pipeline': opportunities.Open.Amount,
    Won: opportunities.Won.Amount,
    'Win rate': opportunities.WinRate,
    Overdue: opportunities.Overdue.Count,
    'Closing soon': opportunities.ClosingSoon.Count,
    Leads: people.Total,
    'Open cases': queue.Open.Count,
  })
  const ages = await rowsOf(cardOf(page, 'Open cases by age'))
  expect(ages.map(([label]) => label)).toEqual(['Under 1 day', '1–7 days', '7–30 days', '30–90 days', 'Over 90 days'])
  expect(ages.reduce((sum, [, open]) => sum + Number(open), 0)).toBe(queue.Open.Count)
  expect(await cardOf(page, 'Open cases by age').getByRole('link', { name: 'The oldest' }).getAttribute('href')).toBe(`#/cases/${queue.OldestOpen?.CaseID}`)
})

test('the forecast is that of the summary, by month, and each month leads to its deals', async () => {
  const { Forecast } = (await crm.server.call('get_summary_opportunity', { Forecast: true })) as unknown as {
    Forecast: { Month: string; Open: Share; Weighted: number; Won: Share }[]
  }
  expect(Forecast.some(({ Open, Weighted }) => Weighted > 0 && Weighted < Open.Amount)).toBe(true)
  const card = cardOf(page, 'Forecast by close month')
  expect(await card.getByRole('img').getAttribute('aria-label')).toContain('weighted: ')
  const rows = await rowsOf(card)
  expect(rows.map(([, ...values]) => values)).toEqual(Forecast.map(({ Open, Weighted, Won }) => [Won.Amount, Math.round(Weighted * 100) / 100, Open.Amount]))
  const busy = Forecast.findIndex(({ Won }) => Won.Count > 0)
  const href = await card.locator('tbody tr').nth(busy).getByRole('link').getAttribute('href')
  const where = JSON.parse(new URLSearchParams(href?.split('?')[1]).get('where') ?? '')
  const { Records } = (await crm.server.call('get_many_opportunities', { Filters: where, Limit: 1000 })) as { Records: unknown[] }
  expect(Records.length).toBe((Forecast[busy]?.Open.Count ?? 0) + (Forecast[busy]?.Won.Count ?? 0))
  await button(card, 'Show as chart').click()
})

test('each card takes one summary, and no stage is asked for by itself', async () => {
  const page = await crm.open('#/keys')
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  const calls: string[] = []
  page.on('request', (request) => calls.push(request.url().split('/operations/')[1] ?? ''))
  await page.evaluate("location.hash = '#/'")
  await cardOf(page, 'What is due').locator('.due-row').first().waitFor()
  await cardOf(page, 'Open cases by age').getByRole('img').waitFor()
  const summaries = calls.filter((name) => name.includes('summary')).sort()
  expect(summaries).toEqual(['case_get_summary', 'get_summary_of_leads', 'get_summary_opportunity'])
  await page.close()
})

test('with a period the figures show their change against the one before', async () => {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  const span = (from: number, to: number) => ({ Filters: { CreatedDate: { gte: `${day(from)}T00:00:00.000Z`, lt: `${day(to)}T00:00:00.000Z` } } })
  const [now, before] = await Promise.all([leads(span(60, 0)), leads(span(120, 60))])
  expect(before.Total).toBeGreaterThan(0)
  const page = await crm.open(`#/?period=custom&from=${day(60)}&to=${day(1)}`)
  expect((await tiles(page)).Leads).toBe(now.Total)
  const tile = page.locator('.tile', { has: page.getByRole('heading', { name: 'Leads', exact: true }) })
  const times = now.Total / before.Total
  const share = times >= 3 ? `${Math.round(times * 10) / 10}×` : `${Math.round(Math.abs(times - 1) * 100)} %`
  const change = tile.locator('.tile-change')
  await expect.poll(async () => (await change.innerText()).replace(/\s+/g, ' ')).toContain(share)
  expect(await change.getAttribute('title')).toBe(`${before.Total} in the period before`)
  for (const width of [1280, 1366, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    const overflowing = await page.locator('.tile').evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent))
    expect(overflowing, `${width}`).toEqual([])
    const lines = await page
      .locator('.tile')
      .evaluateAll((all) =>
        all.map((one) => [one, one.querySelector('.tile-about')].map((part) => Math.round(part?.getBoundingClientRect().top ?? 0)).join(' ')),
      )
    // Tiles that begin at one height have their last line at one height.
    expect(new Set(lines).size, `${width}`).toBe(new Set(lines.map((line) => line.split(' ')[0])).size)
  }
  await page.close()
})

test('a period is as many days where the person is, and ends today', async () => {
  const page = await crm.open('#/keys')
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' })
  const asked = page.waitForRequest((request) => request.url().endsWith('/get_summary_of_leads'))
  await page.goto(`${crm.server.url}/#/?period=30d`)
  const { Filters } = (await asked).postDataJSON() as { Filters: object }
  const first = await page.evaluate<string>('new Date(new Date().setDate(new Date().getDate() - 29)).toLocaleDateString("sv")')
  expect(Filters).toEqual({ CreatedDate: { gte: new Date(`${first}T00:00:00+09:00`).toISOString() } })
  await page.close()
})

test('won deals count in the period in which they closed, and the open pipeline is not compared', async () => {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  const closed = (from: number, to: number) => deals({ Filters: { CloseDate: { gte: day(from), lte: day(to) } } })
  const [now, before] = await Promise.all([closed(90, 1), closed(180, 91)])
  expect(now.Won.Count).toBeGreaterThan(0)
  expect(before.Won.Count).toBeGreaterThan(0)
  const page = await crm.open(`#/?period=custom&from=${day(90)}&to=${day(1)}`)
  expect(await tiles(page)).toMatchObject({ Won: now.Won.Amount, 'Win rate': now.WinRate })
  const tile = (label: string) => page.locator('.tile', { has: page.getByRole('heading', { name: label, exact: true }) })
  await expect.poll(() => tile('Won').locator('.tile-change').getAttribute('title')).toMatch(/ in the period before$/)
  // The change of a rate is in points, not a percentage of a percentage.
  const points = String(Math.round(Math.abs(Number(now.WinRate) - Number(before.WinRate)) * 1000) / 10)
  expect((await tile('Win rate').locator('.tile-change').innerText()).replace(/\s+/g, ' ')).toContain(` ${points} point`)
  expect(await tile('Open pipeline').locator('.tile-change').count()).toBe(0)
  const href = await tile('Won').getByRole('link').getAttribute('href')
  const where = JSON.parse(new URLSearchParams(href?.split('?')[1]).get('where') ?? '')
  const { Records } = (await crm.server.call('get_many_opportunities', { Filters: where, Limit: 1000 })) as { Records: unknown[] }
  expect(Records.length).toBe(now.Won.Count)
  await page.close()
})

test('a period limits what closed and what is new, each by its own date, and leaves what is open and due as it is today', async () => {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  const [now, won] = await Promise.all([deals(), deals({ Filters: { CloseDate: { gte: day(89), lte: day(0) } } })])
  const page = await crm.open('#/keys')
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  const calls: string[] = []
  page.on('request', (request) => calls.push(request.url().split('/operations/')[1] ?? ''))
  await page.goto(`${crm.server.url}/#/?period=custom&from=${day(89)}&to=${day(0)}`)
  const { Won, Overdue, 'Open pipeline': open, 'Closing soon': soon, 'Open cases': queue } = await tiles(page)
  expect({ Won, Overdue, open, soon, queue }).toEqual({
    Won: won.Won.Amount,
    Overdue: now.Overdue.Count,
    open: now.Open.Amount,
    soon: now.ClosingSoon.Count,
    queue: (await cases()).Open.Count,
  })
  const sum = (rows: (string | number)[][], column: number) => Math.round(rows.reduce((all, row) => all + Number(row[column]), 0) * 100) / 100
  const stages = await rowsOf(cardOf(page, 'Pipeline by stage'))
  const isOf = (names: readonly string[]) => (row: (string | number)[]) => names.includes(String(row[0]))
  expect(sum(stages.filter(isOf(['Closed Won'])), 1)).toBe(won.Won.Amount)
  expect(sum(stages.filter(isOf(['Prospecting', 'Qualification', 'Proposal', 'Negotiation', 'In "two", minds', '=1+1'])), 1)).toBeCloseTo(now.Open.Amount, 2)
  expect(sum(await rowsOf(cardOf(page, 'Forecast by close month')), 1)).toBe(won.Won.Amount)
  const all = cardOf(page, 'What is due').getByRole('link', { name: new RegExp(`^${now.Overdue.Count} deals`) })
  expect(await all.getAttribute('href')).not.toContain('CreatedDate')
  for (const [title, basis] of [
    ['Pipeline by stage', /^Open as of today, won and lost from .+ to /],
    ['Forecast by close month', /^Won from .+ to .+, the rest as of today$/],
    ['Leads by status', /^Created from .+ to /],
  ] as const)
    expect(await cardOf(page, title).locator('.chart-note > p').innerText()).toMatch(basis)
  expect(calls.filter((name) => name.includes('summary')).length).toBeLessThanOrEqual(await page.locator('.card').count())

  // The month in which the period begins leads to its open deals, and to those that were won from then on.
  const { Forecast } = (await crm.server.call('get_summary_opportunity', {
    Forecast: true,
    Filters: { CloseDate: { gte: day(89), lte: day(0) } },
  })) as unknown as {
    Forecast: { Month: string; Won: Share }[]
  }
  const whole = (await crm.server.call('get_summary_opportunity', { Forecast: true })) as unknown as { Forecast: { Open: Share }[] }
  const rows = cardOf(page, 'Forecast by close month').locator('tbody tr')
  for (const [nth, { Month, Won }] of Forecast.entries()) {
    const href = await rows.nth(nth).getByRole('link').getAttribute('href')
    const where = JSON.parse(new URLSearchParams(href?.split('?')[1]).get('where') ?? '')
    const { Records } = (await crm.server.call('get_many_opportunities', { Filters: where, Limit: 1000 })) as { Records: unknown[] }
    expect(Records.length, Month).toBe(Won.Count + (whole.Forecast[nth]?.Open.Count ?? 0))
  }
  await page.close()
})

test('what is closed does not set the scale of the pipeline, and the axes have titles', async () => {
  const page = await crm.open('#/keys')
  await page.addInitScript(`
    window.drawn = []
    const draw = CanvasRenderingContext2D.prototype.fillText
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { drawn.push(text); return draw.call(this, text, ...rest) }`)
  await page.reload()
  await page.evaluate("location.hash = '#/'")
  await cardOf(page, 'Pipeline by stage').getByRole('img').waitFor()
  for (const text of ['Stage', 'Amount', 'Close month']) await expect.poll(() => page.evaluate(`drawn.includes(${JSON.stringify(text)})`)).toBe(true)
  await expect.poll(() => page.evaluate("drawn.some((text) => text.endsWith(' »'))")).toBe(true)
  await page.close()
})

test('on paper there is the page alone, in dark on light', async () => {
  const page = await crm.open('#/', { theme: 'dark' })
  await cardOf(page, 'Pipeline by stage').getByRole('img').waitFor()
  await page.emulateMedia({ media: 'print' })
  expect(await page.locator('.sidebar').isVisible()).toBe(false)
  await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('light')
  expect(await page.locator('.chart-tools').first().isVisible()).toBe(false)
  expect(await page.locator('.main').evaluate((main) => getComputedStyle(main).overflowY)).toBe('visible')
  for (const width of [794, 1122]) {
    await page.setViewportSize({ width, height: 1000 })
    await page.locator('.due-row').first().waitFor()
    const isCut = (list: { readonly scrollHeight: number; readonly clientHeight: number }) => list.scrollHeight > list.clientHeight
    expect(await page.locator('.overview-list').first().evaluate(isCut), `${width}`).toBe(false)
  }
  await page.close()
})

test('the table, the CSV and the picture say what the chart says', async () => {
  const page = await crm.open('#/', { theme: 'dark' })
  const { ByStage } = await deals()
  const card = cardOf(page, 'Pipeline by stage')
  const chart = card.getByRole('img')
  await chart.waitFor()
  for (const { Stage } of ByStage) expect(await chart.getAttribute('aria-label')).toContain(Stage)

  const rows = await rowsOf(card)
  const said = Object.fromEntries(rows.map(([stage, amount, count]) => [stage, { Count: count, Amount: amount }]))
  expect(said).toEqual(Object.fromEntries(ByStage.map(({ Stage, Count, Amount }) => [Stage, { Count, Amount }])))
  // What is open comes first, in the order that is known, and what was won before what was lost.
  const order = rows.map(([stage]) => stage)
  expect(order.slice(0, 4)).toEqual(['Prospecting', 'Qualification', 'Proposal', 'Negotiation'])
  expect(order.slice(-3)).toEqual(['Closed Won', 'Closed Lost', ABANDONED])

  const csv = await saved(page, card, 'Save as CSV')
  expect(csv.name).toMatch(/^pipeline-by-stage-\d{4}-\d\d-\d\d\.csv$/)
  const lines = order.map((stage) => {
    const { Count, Amount } = ByStage.find(({ Stage }) => Stage === stage) as Share
    return `${WRITTEN[stage as string] ?? stage},${Amount},${Count}`
  })
  expect(csv.bytes.toString()).toBe(['Stage,Amount,Count', ...lines, ''].join('\r\n'))

  const picture = await saved(page, card, 'Save as picture')
  expect(picture.name).toMatch(/\.png$/)
  expect([...picture.bytes.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  expect([picture.bytes.readUInt32BE(16), picture.bytes.readUInt32BE(20)]).toEqual([1920, 1080])
  expect(await coloursIn(page, picture.bytes)).toMatchObject({ corner: 0x151b22, won: true, lost: true })
  await page.close()
})

/** What a picture is drawn with: the paper in its corner, and whether the bars of the dark theme are on it. */
async function coloursIn(page: Page, png: Buffer) {
  return page.evaluate(async (text) => {
    const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const ink = new OffscreenCanvas(image.width, image.height).getContext('2d')
    ink?.drawImage(image, 0, 0)
    const { data } = ink?.getImageData(0, 0, image.width, image.height) ?? { data: [] }
    const seen = new Set<number>()
    for (let i = 0; i < data.length; i += 4) seen.add(((data[i] ?? 0) << 16) | ((data[i + 1] ?? 0) << 8) | (data[i + 2] ?? 0))
    const [corner] = seen
    return { corner, won: seen.has(0x34c69a), lost: seen.has(0xee8d4e) }
  }, png.toString('base64'))
}

test('what is due is exactly what the summary counts, whatever the configuration calls closed', async () => {
  const { Overdue } = await deals()
  const card = cardOf(page, 'What is due')
  await card.getByRole('link', { name: 'Long overdue' }).waitFor()
  const shown = await card.locator('.due-row').count()
  expect(shown).toBe(Math.min(20, Overdue.Count))
  expect(await card.getByText('Given up').count()).toBe(0)
  const all = card.getByRole('link', { name: new RegExp(`^${Overdue.Count} deals`) })
  const where = JSON.parse(new URLSearchParams((await all.getAttribute('href'))?.split('?')[1]).get('where') ?? '')
  const { Records } = (await crm.server.call('get_many_opportunities', { Filters: where, Limit: 1000 })) as { Records: { Amount: number | null }[] }
  expect(Records.length).toBe(Overdue.Count)
})

test('the address narrows every figure, and the filters are kept in it', async () => {
  const from = '2026-01-01'
  const UserID = (await deals()).ByOwner[0]?.UserID ?? ''
  const narrowed = { UserID, Filters: { CreatedDate: { gte: `${from}T00:00:00.000Z` } } }
  const [opportunities, people] = await Promise.all([deals({ UserID }), leads(narrowed)])
  const page = await crm.open(`#/?owner=${UserID}&period=custom&from=${from}`)
  expect(await tiles(page)).toMatchObject({ 'Open pipeline': opportunities.Open.Amount, Leads: people.Total })
  expect((await rowsOf(cardOf(page, 'Leads by status'))).map(([, count]) => count)).toEqual(people.ByStatus.map(({ Count }) => Count))
  expect(await page.getByLabel('From').inputValue()).toBe(from)

  await page.getByLabel('Owner').selectOption('')
  await expect.poll(() => page.url()).toMatch(/#\/\?period=custom&from=2026-01-01$/)
  const everyone = await leads({ Filters: narrowed.Filters })
  await expect.poll(async () => (await tiles(page)).Leads).toBe(everyone.Total)
  await page.getByRole('button', { name: 'Reset filters' }).click()
  await expect.poll(async () => (await tiles(page)).Leads).toBe((await leads()).Total)
  expect(page.url()).toMatch(/#\/$/)
  await page.close()
})

test('days the wrong way round are said to be, and filters that nothing fits are named as the reason', async () => {
  const page = await crm.open('#/?period=custom&from=2026-05-02&to=2026-05-01')
  await page.getByRole('heading', { name: 'The period is empty' }).waitFor()
  expect(await page.getByLabel('To', { exact: true }).getAttribute('aria-invalid')).toBe('true')
  expect(await page.locator('.tile').count()).toBe(0)
  await page.getByLabel('From').fill('1990-05-01')
  await page.getByLabel('To', { exact: true }).fill('1990-05-02')
  for (const noun of ['opportunities', 'leads']) await page.getByText(`No ${noun} match the filters above.`).first().waitFor()
  await cardOf(page, 'What is due').locator('.due-row').first().waitFor()
  expect(await page.getByText(/yet\.|Nothing is/).count()).toBe(0)
  await cardOf(page, 'Recent changes').getByText('the filters above do not apply').waitFor()
  await page.close()
})

test('months without any are there, as nothing', async () => {
  const { ByMonth } = await leads()
  const rows = await rowsOf(cardOf(page, 'Leads by month'))
  const first = ByMonth[0]?.Month.split('-').map(Number) as [number, number]
  const now = new Date()
  const months = (now.getUTCFullYear() - first[0]) * 12 + now.getUTCMonth() + 1 - first[1] + 1
  expect(rows.length).toBe(months)
  expect(rows.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(ByMonth.reduce((sum, { Count }) => sum + Count, 0))
})

test('a bar leads to its records, and so does its row in the table', async () => {
  const { ByStatus } = await leads()
  const card = cardOf(page, 'Leads by status')
  await card.getByRole('img').click({ position: { x: 150, y: 20 } })
  await page.waitForURL(/#\/leads\?/)
  const where = JSON.stringify({ Status: ByStatus[0]?.Status })
  expect(new URLSearchParams(page.url().split('?')[1]).get('where')).toBe(where)
  await page.goBack()
  await button(card, 'Show as table').click()
  expect(await card.getByRole('link').first().getAttribute('href')).toBe(`#/leads?${new URLSearchParams({ where })}`)
})

test('what happens is shown as it happens, and the figures follow', async () => {
  const page = await crm.open('#/')
  const before = (await tiles(page)).Leads ?? 0
  const card = cardOf(page, 'Recent changes')
  await card.getByText('Live', { exact: true }).waitFor()
  const { LeadID } = await crm.server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  const line = card.getByRole('listitem').first()
  await line.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
  expect(await line.getByRole('link').getAttribute('href')).toBe(`#/leads/${LeadID}`)
  expect(await line.innerText()).toContain('Lead created by')
  await crm.server.call('create_key', { Scopes: ['read'], Label: 'no record' })
  await crm.server.call('delete_lead', { LeadID })
  const { Records } = (await crm.server.call('get_many_changes', { Filters: { RecordID: LeadID }, Limit: 1 })) as { Records: { ChangeID: string }[] }
  await crm.server.call('undo_change', { ChangeID: Records[0]?.ChangeID })
  await line.getByText('Lead restored by').waitFor()
  expect(await card.getByText('no record').count()).toBe(0)
  await expect.poll(async () => (await tiles(page)).Leads).toBe(before + 1)
  await page.close()
})

test('a refusal stays on its card, and can be tried again', async () => {
  const page = await crm.open('#/keys')
  crm.refusals(page)
  await page.route('**/get_summary_of_leads', (route) =>
    route.fulfill({
      status: 422,
      contentType: 'application/problem+json',
      body: JSON.stringify({ code: 'platform_rejected', detail: 'The platform sulks.', status: 422 }),
    }),
  )
  await page.goto(`${crm.server.url}/#/`)
  const card = cardOf(page, 'Leads by month')
  await card.getByText('The platform sulks.').waitFor()
  await cardOf(page, 'Pipeline by stage').getByRole('img').waitFor()
  await page.unroute('**/get_summary_of_leads')
  await button(card, 'Try again').click()
  await card.getByRole('img').waitFor()
  await page.close()
})

test('what an outage has broken mends itself', async () => {
  const page = await crm.open('#/keys')
  crm.refusals(page)
  await page.getByRole('heading', { name: 'API keys' }).waitFor()
  await page.route('**/v1/operations/**', (route) => route.abort())
  await page.evaluate("location.hash = '#/'")
  const card = cardOf(page, 'Pipeline by stage')
  await button(card, 'Try again').waitFor()
  await page.unroute('**/v1/operations/**')
  for (const title of ['Pipeline by stage', 'Leads by status', 'Open cases by age']) await cardOf(page, title).getByRole('img').waitFor()
  await cardOf(page, 'What is due').locator('.due-row').first().waitFor()
  await page.close()
})

test('values at bars are whole, however narrow the card', async () => {
  const page = await crm.open('#/keys')
  await page.route('**/get_summary_of_leads', async (route) => {
    const response = await route.fetch()
    const { ByStatus, ...rest } = (await response.json()) as Counted
    await route.fulfill({ response, json: { ...rest, ByStatus: ByStatus.map(({ Status }, nth) => ({ Status, Count: 12_345 - nth })) } })
  })
  await page.addInitScript(`
    window.drawn = []
    const draw = CanvasRenderingContext2D.prototype.fillText
    CanvasRenderingContext2D.prototype.fillText = function (text, x, ...rest) {
      if (this.font.startsWith('600') && this.textAlign === 'left') drawn.push([text, x + this.measureText(text).width <= this.canvas.clientWidth])
      return draw.call(this, text, x, ...rest)
    }`)
  for (const width of [375, 720, 1210]) {
    await page.setViewportSize({ width, height: 860 })
    await page.evaluate("location.hash = '#/'")
    await page.reload()
    await expect.poll(() => page.evaluate('drawn.some(([text]) => text === "12,345")')).toBe(true)
    expect(await page.evaluate('drawn.filter(([, whole]) => !whole)')).toEqual([])
  }
  await page.close()
})

test('the headline figures leave no hole, and the filters offer nothing that is not there to be done', async () => {
  const page = await crm.open('#/')
  await tiles(page)
  const clear = page.locator('.overview-clear')
  expect(await clear.isVisible()).toBe(false)
  for (const width of [375, 800]) {
    await page.setViewportSize({ width, height: 812 })
    const right = (of: string) => page.locator(of).evaluate((one) => Math.round(one.getBoundingClientRect().right))
    expect(await right('.tile:last-child')).toBe(await right('.overview-tiles > div'))
  }
  const card = cardOf(page, 'Pipeline by stage')
  expect(await card.locator('.overview-legend').count()).toBe(3)
  await button(card, 'Show as table').click()
  expect(await card.locator('.overview-legend').count()).toBe(0)
  await page.getByLabel('Period').selectOption('90d')
  await clear.waitFor()
  await page.goBack()
  await clear.waitFor({ state: 'hidden' })
  expect(await page.getByLabel('Period').inputValue()).toBe('all')
  await page.close()
})

test('a key without figures sees neither an empty strip nor filters for them', async () => {
  const { Key } = await crm.server.call('create_key', { Scopes: ['read:get_many_leads', 'read:get_many_changes', 'read:get_many_events'] })
  const page = await crm.open('#/', { key: Key as string })
  await cardOf(page, 'Recent changes').getByText('Live', { exact: true }).waitFor()
  expect(await page.locator('.overview-tiles, .overview-filters').count()).toBe(0)
  await page.close()
})

test('a key for leads alone sees leads alone', async () => {
  const { Key } = await crm.server.call('create_key', { Scopes: ['read:Lead'], Label: 'leads only' })
  const page = await crm.open('#/', { key: Key as string })
  await cardOf(page, 'Leads by status').getByRole('img').waitFor()
  expect(await page.locator('.card h2').allInnerTexts()).toEqual(['Recent changes', 'Leads by month', 'Leads by status'])
  expect(Object.keys(await tiles(page))).toEqual(['Leads'])
  expect(await cardOf(page, 'Recent changes').getByText('Case', { exact: false }).count()).toBe(0)
  await page.close()
})

describe('an empty store', () => {
  const empty = consoleForFile()

  test('shows all its ways to begin within the window, whatever its width', async () => {
    const page = await empty.open('#/')
    await page.getByRole('button', { name: 'Load demo data' }).waitFor()
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      const outside = await page
        .locator('.state, .state *')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).filter(({ left, right }) => left < 0 || right > innerWidth).length)
      expect(outside, `${width}`).toBe(0)
      const [box, cards] = await Promise.all(
        ['.state', '.get-started > li'].map((of) => page.locator(of).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right))),
      )
      expect(Math.max(...(cards ?? [])), `${width}`).toBeLessThan(box?.[0] ?? 0)
    }
    await page.close()
  })

  test('says how to begin, and shows the first lead when there is one', async () => {
    const page = await empty.open('#/', { size: 'phone' })
    await page.getByRole('heading', { name: 'No records yet' }).waitFor()
    expect(await page.getByRole('link', { name: 'Import a file' }).getAttribute('href')).toBe('#/leads?import=')
    await page.getByText('Live', { exact: true }).waitFor()
    await empty.server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    await expect.poll(async () => page.locator('.tile').count()).toBeGreaterThan(0)
    expect((await tiles(page)).Leads).toBe(1)
    await page.close()
  })
})
