import { expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { execute } from '../../src/core/call/execute.ts'
import { createService } from '../../src/core/service.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'

async function opened() {
  const store = await openSqlite(':memory:')
  onTestFinished(() => store.close())
  const service = createService({ platform: store, store })
  await bootstrap(service)
  const caller = await localAdmin(service)
  return (ObjectName: string, Fields: object) => execute(service, { operation: 'create_custom_object', input: { ObjectName, Fields }, caller })
}

const fields = (count: number, from = 0) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`Field${from + i}`, { Type: 'Number', Label: 'x' }]))

test('a workspace has so many custom objects and no more, and those it has go on working', async () => {
  const create = await opened()
  for (let i = 0; i < LIMITS.customObjects; i++) await create(`Object${i}`, fields(1))
  await expect(create('OneMore', fields(1))).rejects.toMatchObject({
    code: 'invalid_input',
    errors: [
      {
        field: 'ObjectName',
        code: 'count',
        message: 'The workspace would have more than 200 custom objects. Retire or delete all fields of one first.',
        expected: 'at most 200 in all',
      },
    ],
  })
  await create('Object7', { Field0: { Value: 1 }, ...fields(3, 1) })
})

test('and so many fields in each of them, and in all together', async () => {
  const create = await opened()
  const objects = LIMITS.allCustomFields / LIMITS.customFields
  for (let i = 0; i < objects; i++) await create(`Object${i}`, fields(LIMITS.customFields - 1))
  await create('Object0', fields(1, 500))
  await expect(create('Object0', fields(1, 501))).rejects.toMatchObject({
    errors: [{ field: 'Fields', message: 'Object0 would have more than 500 fields. Retire or delete some of them first.' }],
  })
  await create('Small', fields(objects - 1))
  await expect(create('Small', fields(1, 50))).rejects.toMatchObject({
    errors: [{ field: 'Fields', message: 'All custom objects together would have more than 10,000 fields. Retire or delete some of them first.' }],
  })
  await create('Small', { Field0: { Value: 1 } })
})
