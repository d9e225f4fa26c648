import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fieldsType } from '../../src/transports/cli/types/fields-type.ts'
import { extendedPlatform } from '../support/extended-platform.ts'
import { COMPANY } from '../support/extended-service.ts'
import { placeForFiles } from '../support/files.ts'
import { serverForTest } from '../support/server.ts'

const OWN = [
  { RecordType: 'Lead', FieldName: 'Score', Kind: 'integer', Label: 'How good */ it is', Required: true },
  { RecordType: 'Lead', FieldName: 'Tier', Kind: 'choice', Values: ['Gold', 'Silver "plus"'] },
  { RecordType: 'Company', FieldName: 'Founded', Kind: 'date' },
  { RecordType: 'Case', FieldName: 'Paid', Kind: 'boolean' },
]

test('the fields that a workspace has defined are written as a type, to a file or to standard output', async () => {
  const place = await placeForFiles()
  for (const field of OWN) await place.answer(['define_field', '--json', JSON.stringify(field)])
  const { code, out } = await place.run(['types', '--to', join(place.folder, 'fields.ts')])
  expect([code, out]).toEqual([0, ''])
  expect(place.read('fields.ts')).toMatch(/Score: number\n[\s\S]*Tier\?: "Gold" \| "Silver \\"plus\\""\n[\s\S]*Paid\?: boolean\n[\s\S]*Founded\?: string\n/)
  expect((await place.run(['types'])).out).toBe(place.read('fields.ts'))
})

test('a file is overwritten where crm types has written it, and no other', async () => {
  const place = await placeForFiles()
  await place.answer(['define_field', '--json', JSON.stringify(OWN[0])])
  const to = join(place.folder, 'fields.ts')
  await place.run(['types', '--to', to])
  await place.answer(['define_field', '--json', JSON.stringify(OWN[1])])
  expect((await place.run(['types', '--to', to])).code).toBe(0)
  expect(place.read('fields.ts')).toContain('Tier')
  const own = place.file('own.ts', 'export const mine = 1\n')
  expect((await place.run(['types', '--to', own])).err).toContain('exists already')
  expect(place.read('own.ts')).toBe('export const mine = 1\n')
})

test('the fields of a CRM account are written through its server; what only the CRM sets is readonly', async () => {
  const { url, key } = await serverForTest({ wrap: (service) => ({ ...service, platform: extendedPlatform(service.store, COMPANY) }) })
  const place = await placeForFiles({ CRM_URL: url, CRM_KEY: key })
  const { out } = await place.run(['types'])
  expect(out).toContain('    Firm: string\n')
  expect(out).toContain('    Grade?: "Hot" | "Cold"\n')
  expect(out).toContain('    readonly Score?: number\n')
})

test('without further fields there is a type, too', () => {
  expect(fieldsType({ RecordTypes: [] })).toMatch(/^export type WorkspaceFields = Record<never, never>$/m)
})

test('completion knows the fields of the workspace where it is asked to', async () => {
  const place = await placeForFiles()
  await place.answer(['define_field', '--json', JSON.stringify(OWN[1])])
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { out } = await place.run(['completion', shell, '--fields'])
    expect(out, shell).toMatch(/Tier/)
    expect((await place.run(['completion', shell])).out, shell).not.toContain('Tier')
  }
})
