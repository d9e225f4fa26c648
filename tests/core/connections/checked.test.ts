import { startSimulator } from 'crm-simulators'
import { simulateSalesforce } from 'crm-simulators/salesforce'
import { expect, onTestFinished, test } from 'vitest'
import { prepareCrm } from '../../../src/app/crms.ts'
import { readCrmSettings } from '../../../src/config/crm-settings.ts'
import type { Fault } from '../../../src/contract/errors.ts'
import type { CrmName } from '../../../src/platforms/crms/names.ts'
import { refusalOf, startConnectingService } from '../../support/connected.ts'

const APP = { clientId: 'simulator', clientSecret: 'simulator' }
const SECRETS: { readonly [name in CrmName]: { readonly [secret: string]: string } } = {
  salesforce: APP,
  hubspot: { token: 'simulator' },
  espocrm: { apiKey: 'simulator' },
}

/** The faults that a configuration has, by their fields. */
async function faultsIn(name: CrmName, options: object, environment: NodeJS.ProcessEnv = {}, place = 'https://crm.example.com') {
  const faults: Fault[] = []
  const { crms } = readCrmSettings({ [name]: { options } }, [{ name, place }], environment, faults)
  for (const settings of Object.values(crms)) await prepareCrm(settings, faults)
  return faults.map(({ field, code, expected }) => [field.replace(/^crm\.config\.json: platforms\.\w+\.options/, 'Options'), code, expected])
}

test.for([
  [
    'hubspot',
    { leads: 'person', apiVersion: '1', searches: 'many', lag: '-1', authorizeUrl: 'javascript:alert(1)' },
    { leads: 'lead', searches: '10', lag: '0' },
  ],
  [
    'salesforce',
    { apiVersion: 'new', loginUrl: 'ftp://x.example', notes: 'Notes', duplicates: 'yes', assignment: 'on', customTexts: 'tiny' },
    { apiVersion: 'v62', notes: 'ContentNote', duplicates: 'allow', assignment: 'rules', customTexts: 'short', audience: 'any' },
  ],
  ['espocrm', { currency: 'euro', duplicates: 'merge' }, { currency: 'EUR', duplicates: 'refuse' }],
] as const)('what options of %s are set to is checked in a connection as in the file, all at once', async ([Platform, wrong, right]) => {
  const { crm } = await startConnectingService()
  const Address = 'http://127.0.0.1:1'
  const fields = Object.keys(wrong).map((name) => `Options.${name}`)
  const inFile = await faultsIn(Platform, wrong)
  expect(inFile.map(([field]) => field)).toEqual(fields)
  expect(await faultsIn(Platform, right)).toEqual([])
  const { code, errors } = await refusalOf(crm.connections.create({ Platform, Address, Options: wrong, Secrets: SECRETS[Platform] }))
  expect(code).toBe('invalid_input')
  expect(errors?.filter(({ code: how }) => how === 'value').map(({ field, code: how, expected }) => [field, how, expected])).toEqual(inFile)
})

test('an option that is an address is a whole one, so that every check of addresses sees it; an update says where its faults are', async () => {
  const [{ crm }, simulator] = [await startConnectingService(), await startSimulator(simulateSalesforce)]
  onTestFinished(() => simulator.close())
  const { ConnectionID } = await crm.connections.create({ Platform: 'salesforce', Address: simulator.url, Secrets: APP })
  const changed = (Options: { [name: string]: string }) => refusalOf(crm.connections.update({ ConnectionID, FieldsToUpdate: { Options, Secrets: APP } }))
  for (const loginUrl of ['internal.example', ' https://internal.example'])
    expect(await changed({ loginUrl })).toMatchObject({ code: 'invalid_input', errors: [{ field: 'FieldsToUpdate.Options.loginUrl', code: 'form' }] })
  expect(await changed({ notes: 'x', clientSecret: 'y' })).toMatchObject({
    errors: [
      { field: 'FieldsToUpdate.Options.notes', code: 'value', expected: 'Note or ContentNote' },
      { field: 'FieldsToUpdate.Options.clientSecret', message: expect.stringContaining('give it in Secrets') },
    ],
  })
})

test('an address that is needed is asked for', async () => {
  const { crm } = await startConnectingService()
  for (const Address of [undefined, null, ' '])
    expect(await refusalOf(crm.connections.create({ Platform: 'espocrm', ...(Address !== undefined && { Address }), Secrets: SECRETS.espocrm }))).toMatchObject(
      {
        code: 'invalid_input',
        errors: [{ field: 'Address', code: 'required', expected: expect.stringContaining('https://crm.example.com') }],
      },
    )
  expect(await faultsIn('espocrm', {}, {}, '')).toMatchObject([['espocrm:', 'required', expect.any(String)]])
})

test.for([
  ['hubspot', 'CRM_HUBSPOT_TOKEN', 'simul\nator'],
  ['hubspot', 'CRM_HUBSPOT_TOKEN', 'simul€ator'],
  ['espocrm', 'CRM_ESPOCRM_API_KEY', 'simulätor'],
  ['salesforce', 'CRM_SALESFORCE_CLIENT_SECRET', 'simul\tator'],
] as const)('%s: a secret that no request can carry is refused by the name of its variable, %s', async ([name, variable, value]) => {
  expect(await faultsIn(name, {}, { [variable]: value })).toEqual([[variable, 'form', undefined]])
  expect(await faultsIn(name, {}, { [variable]: 'simulator' })).toEqual([])
})
