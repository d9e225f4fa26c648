import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { TSC } from '../support/consumer.ts'
import { type Place, placeForFiles } from '../support/files.ts'

const ROOT = join(import.meta.dirname, '../..')

/** What a compiler says of a program in the place, which imports the SDK by its name. */
async function compiled({ folder, file }: Place, program: string): Promise<string> {
  file('package.json', '{ "type": "module" }')
  file('program.ts', program)
  // The store is no part of what is compiled: it would take most of the time.
  const local = file('local.d.ts', 'export function openLocal(...given: unknown[]): Promise<never>\n')
  const paths = { 'crm-connector': [join(ROOT, 'src/transports/sdk/connect.ts')], 'crm-connector/local': [local] }
  const compilerOptions = { paths, typeRoots: [join(ROOT, 'node_modules/@types')] }
  file('tsconfig.json', JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, files: ['program.ts'], include: [] }))
  const { stdout } = await promisify(execFile)(process.execPath, [TSC, '-p', folder]).catch((error: { stdout: string }) => error)
  return stdout
}

const OWN = [
  { RecordType: 'Lead', FieldName: 'Score', Kind: 'integer', Label: 'How good */ it is', Required: true },
  { RecordType: 'Lead', FieldName: 'Tier', Kind: 'choice', Values: ['Gold', 'Silver "plus"'] },
  { RecordType: 'Company', FieldName: 'Founded', Kind: 'date' },
  { RecordType: 'Case', FieldName: 'Paid', Kind: 'boolean' },
  { RecordType: 'Lead', FieldName: 'PartnerID', Kind: 'reference', RefersTo: 'Company' },
]

test('the type that is written from the fields of a workspace is one that the SDK takes', async () => {
  const place = await placeForFiles()
  for (const field of OWN) await place.answer(['define_field', '--json', JSON.stringify(field)])
  await place.run(['types', '--to', join(place.folder, 'fields.ts')])
  const program = `
import { connect } from 'crm-connector'
import type { WorkspaceFields } from './fields.ts'

const crm = connect<WorkspaceFields>({ baseUrl: 'http://127.0.0.1:8484', key: 'k' })
const { Score, Tier } = await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace', Score: 3, Tier: 'Gold' })
const both: [number | null, 'Gold' | 'Silver "plus"' | null] = [Score, Tier]
const { Records } = await crm.companies.getMany({ Filters: { Founded: { gt: '2020-01-01' } }, OrderBy: 'Founded' })
const founded: string | null | undefined = Records[0]?.Founded
const leads = await crm.leads.getMany({ Include: ['Partner'] })
const partner: [string | undefined, string | null | undefined] = [leads.Records[0]?.Partner?.CompanyName, leads.Records[0]?.Partner?.Founded]
const { Company } = await crm.contacts.get({ ContactID: 'x', Include: ['Company'] })
const company: [string | undefined, string | null | undefined] = [Company?.CompanyName, Company?.Founded]
await crm.cases.update({ CaseID: 'x', FieldsToUpdate: { Paid: null } })
// @ts-expect-error Score is required
await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
// @ts-expect-error there is no such field
await crm.contacts.create({ LastName: 'Lovelace', Score: 3 })
export { both, company, founded, partner }
`
  expect(await compiled(place, program)).toBe('')
})
