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

test('the values of keys stand below each other where rows fold, however long they are', async () => {
  await crm.server.call('create_key', {
    Label: 'An import that runs every night, from the forms of the trade fair',
    Scopes: ['read:Lead', 'write:Lead', 'read:Campaign'],
  })
  await crm.server.call('create_key', { Label: 'short', Scopes: ['read'], ExpiresDate: '2099-01-01T00:00:00.000Z' })
  const page = await crm.open('#/keys')
  for (const width of [720, 1024]) {
    await page.setViewportSize({ width, height: 900 })
    await page.locator('.table-folds .table-label').first().waitFor()
    const rows = await page
      .locator('tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.children].slice(1, -1).map((cell) => Math.round(cell.getBoundingClientRect().left))))
    expect(rows.length).toBeGreaterThan(2)
    for (const row of rows) expect(row, `${width}`).toEqual(rows[0])
    expect(await page.locator('tbody').evaluate((body) => body.scrollWidth <= body.clientWidth)).toBe(true)
  }
  await page.close()
})
