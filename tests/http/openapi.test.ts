import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { openapiDocument } from '../../src/transports/http/openapi.ts'
import { startServer, type TestServer } from '../support/server.ts'

const root = join(import.meta.dirname, '../..')

interface Document {
  readonly openapi: string
  readonly paths: { readonly [path: string]: { readonly post?: { readonly operationId: string; readonly responses: Record<string, unknown> } } }
  readonly components: { readonly schemas: Record<string, unknown> }
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
import { createALead, defaults, deleteLead, getLeads, getManyLeads, updateLead } from './client.ts'

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

  return {
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
