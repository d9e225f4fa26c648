import { expect, test } from 'vitest'
import { consoleForFile } from '../support/console.ts'

const crm = consoleForFile()

test('a list says when more of it cannot be loaded, keeps what it has, and goes on when asked again', async () => {
  for (let nth = 1; nth <= 100; nth++) await crm.server.call('create_key', { Label: `Key ${nth}`, Scopes: ['read:Lead'] })
  const page = await crm.open('#/keys')
  crm.refusals(page)
  const rows = page.locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(100)
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByRole('alert').getByText('The service did not answer').waitFor()
  expect(await rows.count()).toBe(100)
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => rows.count()).toBeGreaterThan(100)
  expect(await page.getByRole('alert').count()).toBe(0)
})
