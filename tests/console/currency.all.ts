import { beforeAll, expect, test } from 'vitest'
import { consoleForFile } from '../support/console.ts'

const crm = consoleForFile({ currency: 'EUR' })

/** Far ahead, so that it is neither overdue nor due soon. */
const CLOSE = '2099-01-02'

beforeAll(async () => {
  await crm.server.call('create_opportunity', { OpportunityName: 'Stardust', Stage: 'Proposal', CloseDate: CLOSE, Amount: 1234.5 })
})

test('the overview shows amounts in the currency of the installation', async () => {
  const page = await crm.open('#/')
  const tile = page.locator('.tile', { has: page.getByRole('link', { name: 'Open pipeline', exact: true }) })
  await tile.getByText('€1,235', { exact: true }).waitFor()
  expect(await tile.locator('.tile-figure').getAttribute('title')).toBe('€1,234.50')
  const pipeline = page.locator('.card', { has: page.getByRole('heading', { name: 'Pipeline by stage', exact: true }) })
  await pipeline.getByRole('button', { name: 'Show as table', exact: true }).click()
  await pipeline.getByRole('cell', { name: '€1,234.50', exact: true }).waitFor()
})

test('so do table, board and record, and an amount is edited as a number', async () => {
  const page = await crm.open('#/opportunities')
  await page.getByRole('gridcell', { name: '€1,234.50', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Board', exact: true }).click()
  await page.getByText('1 opportunity · €1,234.50', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Stardust', exact: true }).click()
  await page.locator('.record-facts').getByText('€1,234.50', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Edit Amount', exact: true }).click()
  expect(await page.getByLabel('Amount', { exact: true }).inputValue()).toBe('1234.5')
})
