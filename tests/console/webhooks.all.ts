import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEFAULT_WEBHOOK_SETTINGS } from '../../src/core/service.ts'
import { type Courier, startCourier } from '../../src/core/webhooks/courier.ts'
import { consoleForFile } from '../support/console.ts'
import { startTarget } from '../support/webhook-target.ts'

/** Targets on this machine are allowed, and given up quickly. */
const sending = { ...DEFAULT_WEBHOOK_SETTINGS, allowPrivate: true, timeoutMs: 2000, backoffMs: 20, attempts: 2 }
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
  await page.getByRole('button', { name: 'Create webhook' }).first().click()
  await page.getByLabel('URL').fill(url)
  await page.getByLabel('Label').fill(label)
}

const lead = (LastName: string) => crm.server.call('create_a_lead', { FirstName: 'Ada', LastName })

test('one is made with a secret that is shown once, tested, fed, and its dead letter sent again', async () => {
  const target = await startTarget()
  const page = await crm.open('#/webhooks')
  await page.getByText('No webhooks yet').waitFor()
  await make(page, target.url, 'Billing')
  await page.getByRole('checkbox', { name: '* all events' }).uncheck()
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
  expect(await dead.getByRole('cell').nth(1).innerText()).toBe('2')
  expect(await page.getByText('All events so far were delivered.').count()).toBe(0)
  const facts = page.locator('.webhook-facts')
  await facts.getByText('Deliveries have failed since').waitFor()
  target.answer = () => 204
  await dead.getByRole('button', { name: 'Resend' }).click()
  await expect.poll(() => target.accepted().at(-1)?.Record).toMatchObject({ LastName: 'Dead' })
  await page.getByText('No dead letters.').waitFor()
  await facts.getByText('Active', { exact: true }).waitFor()
  await page.getByText('All events so far were delivered.').waitFor()
  await page.close()
})

test('a refusal is shown beside the field it is about', async () => {
  sending.allowPrivate = false
  const page = await crm.open('#/webhooks')
  crm.refusals(page)
  await make(page, 'http://127.0.0.1:9/hook', 'Private')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.locator('.field-wrong', { hasText: 'URL' }).getByRole('alert').getByText('private').waitFor()
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
