import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { EVENT_TYPES } from '../../src/contract/records/event.ts'
import { openapiDocument } from '../../src/transports/http/openapi/openapi.ts'
import { closed, wrongWith } from '../support/schemas.ts'
import { startServer, type TestServer } from '../support/server.ts'

const root = join(import.meta.dirname, '../..')

interface Described {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string }[]
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: { readonly $ref: string }; readonly example: unknown } } }
  readonly responses: { readonly [status: string]: { readonly headers?: Record<string, unknown>; readonly content?: Record<string, unknown> } }
}

interface Document {
  readonly openapi: string
  readonly paths: { readonly [path: string]: { readonly post?: Described; readonly get?: Described } }
  readonly webhooks: { readonly [type: string]: { readonly post: Described } }
  readonly components: { readonly schemas: Record<string, object>; readonly parameters: Record<string, { readonly name: string }> }
}

let server: TestServer
let source: string
beforeAll(async () => {
  server = await startServer()
  source = await (await fetch(`${server.url}/openapi.json`)).text()
})
afterAll(() => server.close())

describe('/openapi.json', () => {
  test('has every operation of the contract, with its errors by status', () => {
    const document = JSON.parse(source) as Document
    expect(document.openapi).toBe('3.1.0')
    for (const { id, errors } of OPERATIONS) {
      const operation = document.paths[`/v1/operations/${id}`]?.post
      expect(operation?.operationId).toBe(id)
      expect(Object.keys(operation?.responses ?? {})).toEqual(
        expect.arrayContaining([
          '200',
          '400',
          '401',
          '403',
          '413',
          '429',
          '500',
          '503',
          ...(errors.includes('not_found') ? ['404'] : []),
          ...(errors.includes('conflict') ? ['409'] : []),
        ]),
      )
    }
    for (const path of ['/v1/operations', '/healthz', '/readyz', '/metrics']) expect(document.paths[path]).toBeDefined()
  })

  test('says which headers each operation takes and answers with', () => {
    const { paths, components } = JSON.parse(source) as Document
    const taken = (operation?: Described) =>
      operation?.parameters?.map(({ $ref = '', name }) => name ?? components.parameters[$ref.split('/').at(-1) ?? '']?.name)
    const answered = (operation?: Described) => Object.keys(operation?.responses['200']?.headers ?? {})
    const of = (id: string) => paths[`/v1/operations/${id}`]?.post
    for (const { id, effect } of OPERATIONS) {
      expect(taken(of(id)) ?? []).toEqual(expect.arrayContaining(effect === 'read' ? [] : ['Idempotency-Key', 'Dry-Run']))
      expect(answered(of(id)).includes('Change-Id')).toBe(effect !== 'read')
    }
    expect(taken(of('get_leads'))).toEqual(['Request-Timeout'])
    expect(taken(of('create_a_lead'))).toEqual(['Idempotency-Key', 'Dry-Run', 'Request-Timeout'])
    expect(taken(of('update_lead'))).toEqual(['Idempotency-Key', 'Dry-Run', 'Request-Timeout', 'Confirm', 'Confirmation-Token', 'If-Match'])
    expect(taken(of('delete_webhook'))).toEqual(['Idempotency-Key', 'Dry-Run', 'Request-Timeout', 'Confirm', 'Confirmation-Token', 'If-Match'])
    expect(taken(paths['/v1/batch']?.post)).toEqual(['Idempotency-Key', 'Dry-Run', 'Request-Timeout', 'Confirm', 'Confirmation-Token'])
    expect(taken(paths['/v1/events']?.get)).toEqual(['after', 'limit', 'Last-Event-ID'])
    expect(answered(of('get_leads'))).toEqual(['X-Request-Id', 'ETag'])
    expect(answered(of('update_lead'))).toEqual(['X-Request-Id', 'Change-Id', 'Idempotency-Replayed', 'ETag'])
    expect(answered(of('delete_lead'))).toEqual(['X-Request-Id', 'Change-Id', 'Idempotency-Replayed'])
    expect(answered(of('get_many_leads'))).toEqual(['X-Request-Id'])
    expect(Object.keys(paths['/v1/events']?.get?.responses['200']?.content ?? {})).toEqual(['application/json', 'text/event-stream'])
  })

  test('describes what is sent to webhooks: each event with its payload and an example of it', () => {
    const { webhooks, components } = JSON.parse(source) as Document
    expect(Object.keys(webhooks)).toEqual(EVENT_TYPES.map(({ type }) => type))
    for (const { type, summary, schema } of EVENT_TYPES) {
      const { post } = webhooks[type] as { post: Described }
      expect(summary.startsWith(post.summary)).toBe(true)
      expect(post.description).toContain(summary)
      expect(post.parameters?.map(({ $ref = '' }) => components.parameters[$ref.split('/').at(-1) ?? '']?.name)).toEqual([
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
      ])
      const { schema: payload, example } = post.requestBody.content['application/json']
      expect(components.schemas).toHaveProperty(payload.$ref.split('/').at(-1) ?? '')
      expect(wrongWith(closed(schema as never), example)).toEqual([])
      expect(example).toMatchObject({ EventID: '000000000042', Type: type })
      expect(Object.keys(post.responses)).toEqual(['2XX', 'default'])
    }
  })

  test('passes the recommended rules of Redocly without an error or a warning', async () => {
    const problems = await lintFromString({ source, config: await createConfig({ extends: ['recommended'] }) })
    expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`)).toEqual([])
  })

  test('holds nothing that JSON does not, and refers only to what is there', () => {
    const document = openapiDocument({ version: '1.2.3', serverUrl: 'https://crm.example.org' }) as unknown as Document
    expect(JSON.parse(JSON.stringify(document))).toEqual(document)
    const text = JSON.stringify(document)
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) expect(Object.keys(document.components.schemas)).toContain(name)
    expect(text).toContain('"version":"1.2.3"')
    expect(text).toContain('https://crm.example.org')
  })
})

describe('a client made from it', () => {
  const folder = join(root, 'node_modules/.cache/openapi-client')

  test('compiles, and works', async () => {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'openapi.json'), source)
    await writeFile(join(folder, 'use.ts'), USE)
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          module: 'NodeNext',
          target: 'ES2023',
          lib: ['ES2023', 'DOM'],
          types: [],
          allowImportingTsExtensions: true,
          noEmit: true,
          skipLibCheck: true,
        },
        files: ['use.ts'],
      }),
    )
    await run('node_modules/oazapfts/dist/cli.js', join(folder, 'openapi.json'), join(folder, 'client.ts'))
    await run('node_modules/typescript/bin/tsc', '-p', folder)

    const { use } = (await import(join(folder, 'use.ts'))) as { use: (baseUrl: string, key: string) => Promise<unknown> }
    expect(await use(server.url, server.key)).toEqual({
      created: { status: 200, LastName: 'Lovelace' },
      got: { status: 200, NotesTotal: 0 },
      many: { status: 200, names: ['Ada'] },
      updated: { status: 200, Status: 'Contacted', UpdatedFields: ['Status'] },
      deleted: { status: 200, Deleted: true },
      missing: { status: 404, code: 'not_found' },
      refused: { status: 400, fields: ['FirstName', 'LastName'] },
      repeated: true,
      stale: { status: 409, code: 'conflict' },
      tried: { DryRun: true, Difference: { Status: { From: 'Open', To: 'Contacted' } } },
      batch: { statuses: [200, 400], code: 'invalid_input' },
      events: ['lead.created', 'lead.created'],
    })
  })
})

/** Runs a script of a package, and fails with all it has printed. */
async function run(script: string, ...args: string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [join(root, script), ...args], { cwd: root }).catch((error: { stdout?: string; stderr?: string }) => {
    throw new Error(`${script} failed:\n${error.stdout}\n${error.stderr}`)
  })
}

const USE = `
import { batch, createALead, defaults, deleteLead, type DryRunAnswer, events, getLeads, getManyLeads, updateLead } from './client.ts'

export async function use(baseUrl: string, key: string) {
  defaults.baseUrl = baseUrl
  defaults.headers = { authorization: 'Bearer ' + key }

  const created = await createALead({ FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com' })
  if (created.status !== 200) throw new Error(created.data.detail)
  const { LeadID } = created.data

  const got = await getLeads({ LeadID })
  if (got.status !== 200) throw new Error(got.data.detail)
  const total: number = got.data.NotesTotal

  const many = await getManyLeads({ Filters: { LastName: 'Lovelace', CreatedDate: { gte: '2020-01-01T00:00:00Z' }, Revision: { lt: 5 } }, Limit: 10 })
  if (many.status !== 200) throw new Error(many.data.detail)
  const next: string | null = many.data.NextCursor
  void next

  const updated = await updateLead({ LeadID, FieldsToUpdate: { Status: 'Contacted' }, IfRevision: 1 })
  if (updated.status !== 200) throw new Error(updated.data.detail)

  const deleted = await deleteLead({ LeadID })
  if (deleted.status !== 200) throw new Error(deleted.data.detail)

  const missing = await getLeads({ LeadID })
  if (missing.status !== 404) throw new Error('still there')

  // @ts-expect-error A lead needs its names.
  const refused = await createALead({ Email: 'ada@example.com' })
  if (refused.status !== 400) throw new Error('not refused')

  const grace = { FirstName: 'Grace', LastName: 'Hopper' }
  const [first, again] = [await createALead(grace, { idempotencyKey: 'grace-1' }), await createALead(grace, { idempotencyKey: 'grace-1' })]
  if (first.status !== 200 || again.status !== 200) throw new Error('not created')

  const change = { LeadID: first.data.LeadID, FieldsToUpdate: { Status: 'Contacted' } }
  const stale = await updateLead(change, { ifMatch: '"7"' })
  if (stale.status !== 409) throw new Error('not refused')
  const rehearsed = await updateLead(change, { dryRun: true })
  if (rehearsed.status !== 200) throw new Error(rehearsed.data.detail)
  const tried: unknown = rehearsed.data
  const { DryRun, Difference } = tried as DryRunAnswer

  const together = await batch({ Operations: [{ Operation: 'create_a_lead', Input: grace }, { Operation: 'create_a_lead' }] })
  if (together.status !== 200) throw new Error(together.data.detail)

  const happened = await events({ after: '000000000000', limit: 1000 })
  if (happened.status !== 200) throw new Error(happened.data.detail)

  return {
    repeated: first.data.LeadID === again.data.LeadID,
    stale: { status: stale.status, code: stale.data.code },
    tried: { DryRun, Difference },
    batch: { statuses: together.data.Results.map((result) => result.Status), code: together.data.Results[1]?.Error?.code },
    events: happened.data.Events.filter((event) => event.Type === 'lead.created' && event.RecordID !== LeadID).map((event) => event.Type),
    created: { status: created.status, LastName: created.data.LastName },
    got: { status: got.status, NotesTotal: total },
    many: { status: many.status, names: many.data.Records.map((lead) => lead.FirstName) },
    updated: { status: updated.status, Status: updated.data.Status, UpdatedFields: updated.data.UpdatedFields },
    deleted: { status: deleted.status, Deleted: deleted.data.Deleted },
    missing: { status: missing.status, code: missing.data.code },
    refused: { status: refused.status, fields: refused.data.errors?.map((fault) => fault.field).sort() },
  }
}
`
