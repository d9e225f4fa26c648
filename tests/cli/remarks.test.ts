import { expect, test } from 'vitest'
import { runHere } from '../support/cli.ts'
import { temporaryFolder } from '../support/folder.ts'

test('a write is remarked on at a terminal, also where the first of two was made by another command', async () => {
  const env = { HOME: await temporaryFolder(), CRM_PLATFORM: `sqlite:${await temporaryFolder()}/crm.db`, NO_COLOR: '1' }
  const words = ['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace', '--Status', 'open', '--output', 'json']
  const run = (...more: string[]) => runHere([...words, ...more], { env, columns: 200 })
  const near = 'Remark: Status is "open", as given, which is near "Open", a value that is in use. Correct it if that was meant.\n'
  const first = await run()
  expect(first.err.startsWith(`${near}Undo it with: `)).toBe(true)
  const again = await run()
  const { LeadID } = JSON.parse(first.out) as { LeadID: string }
  expect(again.err).toMatch(new RegExp(`Remark: The same Create A Lead was made \\d+ s before: LeadID ${LeadID}\\..* --idempotency-key`))
  expect((await run('--idempotency-key', 'third')).err.startsWith(`${near}Undo it with: `)).toBe(true)
  // Programs get what they asked for, and nothing else.
  expect((await runHere(words, { env })).err).toBe('')
})
