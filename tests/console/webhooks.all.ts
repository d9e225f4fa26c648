import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { DEFAULT_WEBHOOK_SETTINGS } from '../../src/core/service.ts'
import { type Courier, startCourier } from '../../src/core/webhooks/courier.ts'
import { consoleForFile } from '../support/console.ts'
import { startTarget } from '../support/webhook-target.ts'

/** Targets on this machine are allowed, and given up after two attempts. */
const sending = { ...DEFAULT_WEBHOOK_SETTINGS, allowPrivate: true, timeoutMs: 60_000, backoffMs: 20, attempts: 2 }
const crm = consoleForFile({ wrap: (service) => ({ ...service, webhooks: sending }) })

const troubles: unknown[] = []
let courier: Courier
beforeAll(() => {
  courier = startCourier(
    crm.server.service,
    () => {},
    (error) => troubles.push(error),
  )
})
afterAll(async () => {
  await courier?.stop()
  expect(troubles).toEqual([])
})

async function make(page: Page, url: string, label: string): Promise<void> {
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByLabel('URL').fill(url)
  await page.getByLabel('Label').fill(label)
}

const lead = (LastName: string) => crm.server.call('create_a_lead', { FirstName: 'Ada', LastName })

test('one is made with a secret that is shown once, tested, fed, and its dead letter sent again', async () => {
  const target = await startTarget()
  const page = await crm.open('#/webhooks')
  await page.getByText('No webhooks yet').waitFor()
  expect(await page.getByRole('button', { name: /Create/ }).count()).toBe(1)
  await make(page, target.url, 'Billing')
  await page.getByRole('checkbox', { name: 'All events' }).uncheck()
  await page.getByRole('checkbox', { name: 'lead.*' }).check()
  await page.getByRole('checkbox', { name: 'case.created' }).check()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue()
  expect(secret).toMatch(/^whsec_/)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.getByRole('alert').getByText('Not closed yet').waitFor()
  await page.getByRole('button', { name: 'I saved it' }).click()

  await page.getByRole('heading', { name: 'Billing' }).waitFor()
  expect(await page.locator('.webhook-facts').innerText()).toContain('lead.*, case.created')
  expect(await page.content()).not.toContain(secret)
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.getByText('Answered 204.').waitFor()

  await lead('Delivered')
  await expect.poll(() => target.accepted().map(({ Type }) => Type)).toEqual(['webhook.test', 'lead.created'])
  const received = target.received.at(-1)
  expect(new Webhook(secret).verify(received?.body ?? '', received?.headers as Record<string, string>)).toMatchObject({ Record: { LastName: 'Delivered' } })

  await page.getByText('All events so far were delivered.').waitFor()

  target.answer = () => 500
  await lead('Dead')
  const dead = page.getByRole('row', { name: /lead\.created/ })
  await dead.getByText('500').first().waitFor()
  await expect.poll(() => dead.getByRole('cell').nth(1).innerText()).toBe('2')
  expect(await page.getByText('All events so far were delivered.').count()).toBe(0)
  const facts = page.locator('.webhook-facts')
  await facts.getByText('Deliveries have failed since').waitFor()
  target.answer = () => 204
  await dead.getByRole('button', { name: 'Resend' }).click()
  await expect.poll(() => target.accepted().at(-1)?.Record).toMatchObject({ LastName: 'Dead' })
  await page.getByText('No deliveries were given up.').waitFor()
  await facts.getByText('Active', { exact: true }).waitFor()
  await page.getByText('All events so far were delivered.').waitFor()
  await page.close()
})

test('the tab that has entries is open, until one is chosen', async () => {
  const target = await startTarget()
  target.answer = () => 500
  sending.backoffMs = 3_600_000
  onTestFinished(() => {
    sending.backoffMs = 20
  })
  const { WebhookID } = await crm.server.call('create_webhook', { URL: target.url, Label: 'Waiting', EventTypes: ['lead.created'] })
  const page = await crm.open(`#/webhooks/${WebhookID}`)
  const tabs = page.getByRole('group', { name: 'Deliveries' })
  const shown = () => tabs.locator('[aria-pressed="true"]').innerText()
  await page.getByText('All events so far were delivered.').waitFor()
  expect(await shown()).toBe('Given up')

  await lead('Postponed')
  await page
    .getByRole('row', { name: /lead\.created/ })
    .getByText('500')
    .waitFor()
  expect(await shown()).toBe('Waiting')
  await tabs.getByRole('button', { name: 'Given up' }).click()
  await page.getByText('No deliveries were given up.').waitFor()
  expect(await shown()).toBe('Given up')
  await page.reload()
  await page.getByRole('row', { name: /lead\.created/ }).waitFor()
  expect(await shown()).toBe('Waiting')
  await page.close()
})

test('the log has every attempt, opens on the one that failed, and sends again', async () => {
  const target = await startTarget()
  const { WebhookID } = await crm.server.call('create_webhook', { URL: target.url, Label: 'Logged', EventTypes: ['lead.created'] })
  await lead('Fine')
  await expect.poll(() => target.accepted().length).toBe(1)
  target.answer = (_event, response) => {
    response.writeHead(422, { 'X-Reason': 'duplicate' }).end('The e-mail is taken.')
    return undefined
  }
  await lead('Taken')
  await expect.poll(async () => ((await crm.server.call('get_many_attempts', { Filters: { WebhookID } })).Records as unknown[]).length).toBe(3)

  const page = await crm.open(`#/webhooks/${WebhookID}`)
  const log = page.locator('.card', { has: page.getByRole('heading', { name: 'Delivery log' }) })
  const lines = log.locator('.event')
  await expect.poll(() => lines.count()).toBe(3)
  const open = lines.filter({ has: page.locator('[aria-expanded="true"]') })
  await open.getByText('The e-mail is taken.').waitFor()
  expect(await open.count()).toBe(1)
  expect(await open.innerText()).toMatch(/422[\s\S]*webhook-signature: •••[\s\S]*"LastName": "Taken"[\s\S]*x-reason: duplicate/)
  await log.getByRole('button', { name: 'Failed' }).click()
  await expect.poll(() => lines.count()).toBe(2)
  await log.getByRole('button', { name: 'All' }).click()

  // By keyboard alone.
  await log.getByRole('button', { name: /204/ }).focus()
  await page.keyboard.press('Enter')
  await lines.last().getByText('The answer has no body.').waitFor()
  expect(await lines.last().innerText()).toContain('"LastName": "Fine"')
  target.answer = () => 204
  await open.first().getByRole('button', { name: 'Send again' }).click()
  await expect.poll(() => target.accepted().at(-1)?.Record).toMatchObject({ LastName: 'Taken' })
  await expect.poll(() => lines.count()).toBe(4)

  // A test is a line too, which is not sent again from there.
  await page.getByRole('button', { name: 'Send test event' }).click()
  await expect.poll(() => lines.count()).toBe(5)
  await lines
    .first()
    .getByRole('button', { name: /webhook\.test/ })
    .click()
  await lines.first().getByText('What a test event says is not kept.').waitFor()
  expect(await lines.first().getByRole('button', { name: 'Send again' }).count()).toBe(0)
  await page.close()
})

test('a refusal is shown beside the field it is about', async () => {
  sending.allowPrivate = false
  const page = await crm.open('#/webhooks')
  crm.refusals(page)
  await make(page, 'http://127.0.0.1:9/hook', 'Private')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const refusal = page.locator('.field-wrong', { hasText: 'URL' }).getByRole('alert')
  await refusal.getByText('private').waitFor()
  expect(await refusal.innerText()).toContain('CRM_WEBHOOK_PRIVATE=true')
  expect(((await crm.server.call('get_many_webhooks', { Filters: { Label: 'Private' } })).Records as unknown[]).length).toBe(0)
  sending.allowPrivate = true
  await page.close()
})

test('one is paused, resumed, changed, given another secret and deleted', async () => {
  const { WebhookID } = await crm.server.call('create_webhook', { URL: 'http://127.0.0.1:9/hook', Label: 'Old', EventTypes: ['plan.refused'] })
  const stored = async () => ((await crm.server.call('get_many_webhooks', { Filters: { WebhookID } })).Records as { [field: string]: unknown }[])[0]
  const page = await crm.open(`#/webhooks/${WebhookID}`)
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Resume' }).waitFor()
  expect(await stored()).toMatchObject({ Active: false })
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()

  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Label').fill('New')
  await page.getByRole('checkbox', { name: 'plan.planned' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'New' }).waitFor()
  expect(await stored()).toMatchObject({ Label: 'New', Active: true, EventTypes: ['plan.refused', 'plan.planned'] })

  await page.getByRole('button', { name: 'Rotate secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
  expect(await page.getByRole('textbox', { name: 'Secret' }).inputValue()).toMatch(/^whsec_/)
  await page.getByRole('button', { name: 'I saved it' }).click()

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
  expect(await stored()).toBeUndefined()
  await page.close()
})
