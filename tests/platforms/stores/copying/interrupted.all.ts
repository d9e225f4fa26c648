import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { seedLeads, seedUsers } from '../../../../bench/seed.ts'
import { moveStore } from '../../../../src/app/move-store.ts'
import { localAdmin } from '../../../../src/core/access/authenticate.ts'
import { bootstrap } from '../../../../src/core/access/bootstrap.ts'
import { execute } from '../../../../src/core/call/execute.ts'
import { createService } from '../../../../src/core/service.ts'
import type { Store } from '../../../../src/platforms/store.ts'
import { answerOf, collected, crm, spawnCrm } from '../../../support/crm.ts'
import { openDatabase } from '../../../support/database.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { ask } from '../../../support/postgres-database.ts'
import { type Kind, newStoreUrl, withStore } from '../../../support/store-urls.ts'

const LEADS = 20_000

let folder: string
let from: string
beforeAll(async () => {
  const ends: (() => unknown)[] = []
  folder = await temporaryFolder((end) => void ends.push(end as () => unknown))
  from = `sqlite:${folder}/from.db`
  await withStore(from, (store) => seed(store))
  return async () => {
    for (const end of ends) await end()
  }
})

async function seed(store: Store, owners = 10, leads = LEADS): Promise<void> {
  const service = createService({ platform: store, store })
  await bootstrap(service)
  const { users } = await seedUsers(store, 1, owners)
  await seedLeads(store, 1, users, leads)
  // An audit without any line would not verify beside these records.
  await execute(service, { operation: 'create_campaign', input: { CampaignName: 'Fair' }, caller: await localAdmin(service) })
}

/** Whether the copy at `to` has been begun, and is not finished. */
async function halfway(to: string): Promise<boolean> {
  if (to.startsWith('postgres')) {
    const [row] = await ask(to, `SELECT COUNT(*) AS n FROM "Lead"`).catch(() => [{ n: 0 }])
    return Number(row?.n) > 0 && Number(row?.n) < LEADS
  }
  const sizes = ['', '-wal'].map((side) => statSync(`${to.slice('sqlite:'.length)}.partial${side}`, { throwIfNoEntry: false })?.size ?? 0)
  return (sizes[0] as number) + (sizes[1] as number) > 2_000_000
}

/** A move that has copied some of it and is paused, so that it cannot finish before the test goes on. One that was too quick is begun again elsewhere. */
async function begun(kind: Kind) {
  for (;;) {
    const to = await newStoreUrl(kind)
    const child = spawnCrm(['migrate-store', from, to], { cwd: folder })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [out, err] = [collected(child.stdout), collected(child.stderr)]
    const ended = once(child, 'close')
    while (!(await halfway(to)) && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 5))
    child.kill('SIGSTOP')
    if (child.exitCode !== null || !(await halfway(to))) {
      child.kill('SIGKILL')
      if ((await ended)[0]) throw new Error(err())
      continue
    }
    const go = (signal?: NodeJS.Signals) => {
      if (signal) child.kill(signal)
      child.kill('SIGCONT')
      return ended.then(([code, by]) => ({ code, by, out: out(), err: err() }))
    }
    return { to, go }
  }
}

/** How many leads each owner has in each state. */
const leadsIn = (url: string) =>
  withStore(url, async (store) => {
    const { states } = await store.reader(1).tally('Lead', { where: [], today: '', soon: '' })
    return states.map(({ owner, state, count }) => `${owner} ${state} ${count}`).sort()
  })

describe.each<Kind>(['postgres', 'sqlite'])('a move to %s', (kind) => {
  test('that was killed cannot be opened as a store, and goes on from where it was', async () => {
    const { to, go } = await begun(kind)
    expect(await go('SIGKILL')).toMatchObject({ by: 'SIGKILL', out: '' })

    if (kind === 'postgres') {
      const served = await crm(['serve', '--platform', to], { cwd: await temporaryFolder(), env: { CRM_PORT: '0' } })
      expect(served).toMatchObject({ code: 5, out: '' })
      expect(served.err).toMatch(/into this store is unfinished[\s\S]*migrate-store/)
    } else expect(readdirSync(dirname(to.slice('sqlite:'.length))).filter((name) => name === 'crm.db')).toEqual([])

    const { Copied, Skipped, Tables } = answerOf(await crm(['migrate-store', from, to], { cwd: folder })) as {
      Copied: number
      Skipped: number
      Tables: unknown[]
    }
    expect(Skipped).toBeGreaterThan(0)
    // Beside the leads a workspace, 12 users, a key, a campaign with its line in the audit, and the secret of the store.
    expect(Copied + Skipped).toBe(LEADS + 1 + 12 + 1 + 2 + 1)
    expect(Tables).toContainEqual({ Table: 'Lead', Rows: LEADS, Checksum: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(await leadsIn(to)).toEqual(await leadsIn(from))
  })

  test('that is stopped with Ctrl-C ends as one that was interrupted, and says how to go on', async () => {
    const { to, go } = await begun(kind)
    const { by, out, err } = await go('SIGINT')
    expect({ by, out }).toEqual({ by: 'SIGINT', out: '' })
    expect(err).toBe('crm: Stopped. What was copied is kept: the same command goes on from there.\n')
    expect(answerOf(await crm(['migrate-store', from, to], { cwd: folder }))).toMatchObject({ Skipped: expect.any(Number) })
    expect(await leadsIn(to)).toEqual(await leadsIn(from))
  })

  test('is refused while another one is under way, which it does not disturb', async () => {
    const { to, go } = await begun(kind)
    const second = await crm(['migrate-store', from, to], { cwd: folder })
    expect(second).toMatchObject({ code: 5, out: '' })
    expect(second.err).toMatch(/Another process is (copying into this store|writing to \S+)\./)
    expect(await go()).toMatchObject({ code: 0 })
    expect(await leadsIn(to)).toEqual(await leadsIn(from))
  })

  test('goes on only from the source it was begun with', async () => {
    const { to, go } = await begun(kind)
    await go('SIGKILL')
    const other = await newStoreUrl('sqlite')
    await withStore(other, seedLittle)
    const refused = await crm(['migrate-store', other, to], { cwd: folder })
    expect(refused).toMatchObject({ code: 5, out: '' })
    expect(refused.err).toMatch(new RegExp(`unfinished copy of ${from}, not of ${other}`))
  })

  test('tells what was written to the source meanwhile, and brings that too when run again', async () => {
    const source = await newStoreUrl('sqlite')
    await withStore(source, seedLittle)
    const to = await newStoreUrl(kind)
    const database = await openDatabase(source.slice('sqlite:'.length))
    let written = false
    const progress = ({ table }: { table: string }) => {
      if (table !== 'Once' || written) return
      written = database.run(`UPDATE "Lead" SET "Phone" = 'meanwhile' WHERE "LeadID" = (SELECT MAX("LeadID") FROM "Lead")`, []) > 0
    }
    await expect(moveStore(source, to, { progress })).rejects.toMatchObject({
      code: 'conflict',
      errors: [{ field: 'Lead', message: '3000 rows in both, with different content.' }],
      hint: expect.stringContaining('only what differs is copied'),
    })
    database.close()
    const { copied, skipped } = await moveStore(source, to, {})
    expect(copied).toBeLessThan(1500)
    expect(skipped).toBeGreaterThan(1500)
    const found = await withStore(to, (store) =>
      store.reader(1).find('Lead', {
        where: [{ field: 'Phone', family: 'text', operator: 'eq', value: 'meanwhile' }],
        order: { field: 'LeadID', descending: false },
        limit: 10,
      }),
    )
    expect(found.records).toHaveLength(1)
  })
})

const seedLittle = (store: Store) => seed(store, 2, 3000)

test('a move whose connection is lost says so, and goes on from where it was', async () => {
  const { to, go } = await begun('postgres')
  const cut = () => ask(to, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'crm-copier' AND datname = current_database()`)
  await cut()
  const ended = go()
  let isOver = false
  void ended.finally(() => {
    isOver = true
  })
  // Again and again: a read whose connection is lost is retried on another.
  while (!isOver) await cut()
  expect(await ended).toMatchObject({ code: 7, out: '', err: expect.stringMatching(/run the same command again to resume/) })
  answerOf(await crm(['migrate-store', from, to], { cwd: folder }))
  expect(await leadsIn(to)).toEqual(await leadsIn(from))
})
