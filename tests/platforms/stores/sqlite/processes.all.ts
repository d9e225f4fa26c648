import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { migrate } from '../../../../src/platforms/stores/sqlite/migrations.ts'
import { answerOf, crm } from '../../../support/crm.ts'
import { ask, openDatabase } from '../../../support/database.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { openConcurrently } from '../../../support/open-concurrently.ts'
import { recountIn, rollupsIn } from '../../../support/rollups.ts'
import { startService } from '../../../support/service.ts'

describe('ten processes', () => {
  test('that open a new file in the same moment all succeed, and one of them makes the store', async () => {
    const path = join(await temporaryFolder(), 'crm.db')
    await openConcurrently(10, path)
    expect(await ask(path, 'SELECT COUNT(*) AS leads, COUNT(DISTINCT "LastName") AS processes FROM "Lead"')).toEqual([{ leads: 10, processes: 10 }])
    expect(
      await ask(path, 'SELECT (SELECT COUNT(*) FROM "User") AS users, (SELECT COUNT(*) FROM "Key") AS keys, (SELECT COUNT(*) FROM "Workspace") AS workspaces'),
    ).toEqual([{ users: 1, keys: 1, workspaces: 1 }])
    expect(await ask(path, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  })

  test('that upgrade a store in the same moment all succeed, and one of them does it', async () => {
    const path = join(await temporaryFolder(), 'crm.db')
    const database = await openDatabase(path)
    migrate(database)
    database.close()
    await openConcurrently(10, path, 'UPDATE "Access" SET "Version" = "Version" + 100')
    expect(await ask(path, 'SELECT "Version" FROM "Access"')).toEqual([{ Version: 101 }])
  })
})

describe('a service and the command line on one file', () => {
  test('lose nothing when both write at the same time', async () => {
    const cwd = await temporaryFolder()
    const service = await startService(cwd)
    let ended = false
    const overHttp = Array.from({ length: 4 }, async (_, client) => {
      let made = 0
      for (; !ended; made++) await service.call('create_a_lead', { FirstName: 'http', LastName: `${client}-${made}` })
      return made
    })
    const byCommand = await Promise.all(Array.from({ length: 6 }, (_, i) => crm(['create_a_lead', '--FirstName', 'cli', '--LastName', String(i)], { cwd })))
    ended = true
    const made = (await Promise.all(overHttp)).reduce((sum, count) => sum + count, 0)
    for (const ran of byCommand) answerOf(ran)
    expect(made).toBeGreaterThan(0)
    const path = join(cwd, 'data/crm.db')
    expect(await ask(path, 'SELECT "FirstName", COUNT(*) AS n, COUNT(DISTINCT "LastName") AS different FROM "Lead" GROUP BY 1 ORDER BY 1')).toEqual([
      { FirstName: 'cli', n: 6, different: 6 },
      { FirstName: 'http', n: made, different: made },
    ])
    const database = await openDatabase(path)
    expect(rollupsIn(database)).toEqual(recountIn(database))
    database.close()
    expect(await service.call('get_summary_of_leads')).toMatchObject({ Total: made + 6 })
  })

  test('a user and a key made by a command are known to the service, and a key revoked is refused', async () => {
    const cwd = await temporaryFolder()
    const service = await startService(cwd)
    const user = answerOf(await crm(['create_user', '--Name', 'Grace Hopper', '--Role', 'manager'], { cwd }))
    const key = answerOf(await crm(['create_key', '--UserID', String(user.UserID), '--Scopes', 'read'], { cwd }))
    expect(await service.call('get_many_users', { Filters: { UserID: user.UserID as string } })).toMatchObject({
      Records: [{ Name: 'Grace Hopper', Role: 'manager' }],
    })

    const asGrace = () => service.post('get_current_user', {}, { authorization: `Bearer ${key.Key}` })
    expect(await (await asGrace()).json()).toMatchObject({ Name: 'Grace Hopper', Scopes: ['read'] })
    answerOf(await crm(['revoke_key', '--KeyID', String(key.KeyID)], { cwd }))
    await expect.poll(async () => (await asGrace()).status).toBe(401)
  })

  test('a user made inactive, and a manager given to a user, are noticed by the service', async () => {
    const cwd = await temporaryFolder()
    const service = await startService(cwd)
    const made = async (Name: string, Role: string) => {
      const { UserID } = await service.call('create_user', { Name, Role })
      const { Key } = await service.call('create_key', { UserID })
      return { UserID: String(UserID), as: (operation: string) => service.post(operation, {}, { authorization: `Bearer ${Key}` }) }
    }
    const [boss, clerk] = [await made('Boss', 'manager'), await made('Clerk', 'member')]
    const seen = async () => ((await (await boss.as('get_many_users')).json()) as { Records: unknown[] }).Records.length
    expect(await seen()).toBe(1)
    answerOf(await crm(['update_user', '--UserID', clerk.UserID, '--FieldsToUpdate', JSON.stringify({ ManagerID: boss.UserID })], { cwd }))
    await expect.poll(seen).toBe(2)
    answerOf(await crm(['update_user', '--UserID', clerk.UserID, '--FieldsToUpdate', '{"Active":false}'], { cwd }))
    await expect.poll(async () => (await clerk.as('get_current_user')).status).toBe(401)
  })
})
