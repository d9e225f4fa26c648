import { expect, onTestFinished, test } from 'vitest'
import { localAdmin } from '../../../../src/core/access/authenticate.ts'
import { bootstrap } from '../../../../src/core/access/bootstrap.ts'
import { execute } from '../../../../src/core/call/execute.ts'
import { createService } from '../../../../src/core/service.ts'
import { openPostgres } from '../../../../src/platforms/stores/postgres/postgres.ts'
import { crm } from '../../../support/crm.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { ask } from '../../../support/postgres-database.ts'
import { newStoreUrl } from '../../../support/store-urls.ts'

const IGNORING = `CREATE FUNCTION quiet() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
  CREATE TRIGGER "quiet" BEFORE INSERT ON "Change" FOR EACH ROW WHEN (new."Operation" = 'create_a_lead') EXECUTE FUNCTION quiet()`

test.each([
  ['trigger', IGNORING],
  ['rule', `CREATE RULE "quiet" AS ON INSERT TO "Change" WHERE new."Operation" = 'create_a_lead' DO INSTEAD NOTHING`],
])('a %s that drops a line refuses the write, and verifying and crm doctor name it', async (kind, planted) => {
  const url = await newStoreUrl('postgres')
  const store = await openPostgres(url)
  onTestFinished(() => store.close())
  const service = createService({ platform: store, store })
  await bootstrap(service)
  const caller = await localAdmin(service)
  const create = () => execute(service, { operation: 'create_a_lead', input: { FirstName: 'Ada', LastName: 'Lovelace' }, caller })
  await create()
  await ask(url, planted)
  await expect(Promise.allSettled([create(), create()])).resolves.toMatchObject([
    { status: 'rejected', reason: { code: 'internal' } },
    { status: 'rejected', reason: { code: 'internal' } },
  ])
  const { records } = await store.reader(1).find('Lead', { where: [], order: { field: 'CreatedDate', descending: false }, limit: 9 })
  expect(records).toHaveLength(1)
  const fault = new RegExp(`The ${kind} "quiet" on "Change" is not part of a CRM Connector store`)
  expect((await store.journal(1).verify()).faults).toMatchObject([{ fault: expect.stringMatching(fault) }])
  const { out } = await crm(['doctor', '--platform', url, '--output', 'json'], { cwd: await temporaryFolder() })
  expect(out.replaceAll('\\"', '"')).toMatch(fault)
})
