import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { join } from 'node:path'
import { simulateEspoCrm } from 'crm-simulators/espocrm'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { expect, test } from 'vitest'
import { openService } from '../../src/app/open.ts'
import { readConfig } from '../../src/config/settings.ts'
import { watchWorkspace } from '../../src/core/watch/watch.ts'
import { runHere } from '../support/cli.ts'
import { simulate } from '../support/connected.ts'
import { temporaryFolder } from '../support/folder.ts'

/** Two workspaces on one store, each with a mirror of its own CRM. */
async function twoWorkspaces() {
  const [hubspot, espocrm] = [await simulate(simulateHubSpot), await simulate(simulateEspoCrm)]
  const HOME = await temporaryFolder()
  const env = {
    HOME,
    CRM_STORE: `sqlite:${join(HOME, 'journal.db')}`,
    CRM_PLATFORM: `hubspot:${hubspot.url}`,
    CRM_HUBSPOT_TOKEN: 'simulator',
    CRM_CONNECT_PRIVATE: 'true',
  }
  const crm = (...words: string[]) => runHere(words, { env })
  const done = async (...words: string[]) => {
    const { code, out, err } = await crm(...words, '--output', 'json')
    expect([code, err]).toEqual([0, ''])
    return JSON.parse(out) as { readonly [name: string]: string }
  }
  const { WorkspaceID = '' } = await done('create_workspace', '--Name', 'sandbox')
  const secrets = ['--Secrets', JSON.stringify({ apiKey: 'simulator' })]
  await done('create_connection', '--workspace', 'sandbox', '--Platform', 'espocrm', '--Address', espocrm.url, ...secrets)
  const { service, close } = await openService(readConfig({}, env), { serves: true })
  for (const number of [1, 2]) await watchWorkspace(service, number, new AbortController().signal)
  await close()
  return { hubspot, espocrm, crm, done, WorkspaceID }
}

const accountsIn = ({ out }: { readonly out: string }) =>
  (JSON.parse(out) as { Accounts: { Workspace: string; Watched: boolean; Complete: boolean; Reason: string | null }[] }).Accounts.map(
    ({ Workspace, Complete, Reason }) => [Workspace, Complete, Reason],
  )

test('crm mirror shows a paused workspace with the others, and says that it is', async () => {
  const { crm, done, WorkspaceID } = await twoWorkspaces()
  await done('pause_workspace', '--WorkspaceID', WorkspaceID)
  expect(accountsIn(await crm('mirror'))).toEqual([
    ['default', true, null],
    ['sandbox', true, 'The workspace sandbox is paused.'],
  ])
})

test('crm mirror verify compares the mirror of a paused workspace with the others', async () => {
  const { crm, done, WorkspaceID } = await twoWorkspaces()
  await done('pause_workspace', '--WorkspaceID', WorkspaceID)
  const { code, out } = await crm('mirror', 'verify')
  expect(code).toBe(0)
  const { Mirrors } = JSON.parse(out) as { Mirrors: { Workspace: string; RecordType: string }[] }
  const leads = { RecordType: 'Lead', Compared: 0, Repaired: 0, Reason: null }
  expect(Mirrors.filter(({ RecordType }) => RecordType === 'Lead')).toEqual([
    { Workspace: 'default', ...leads },
    { Workspace: 'sandbox', ...leads },
  ])
})

test('crm mirror verify compares the others where one CRM cannot be reached, and crm mirror sends nothing to any', async () => {
  const { crm, hubspot, espocrm } = await twoWorkspaces()
  await espocrm.close()
  const { code, out } = await crm('mirror', 'verify')
  expect(code).toBe(7)
  const { Mirrors } = JSON.parse(out) as { Mirrors: { Workspace: string; RecordType: string | null; Compared: number | null; Reason: string | null }[] }
  expect(Mirrors).toContainEqual({ Workspace: 'default', RecordType: 'Lead', Compared: 0, Repaired: 0, Reason: null })
  expect(Mirrors.filter(({ Workspace }) => Workspace === 'sandbox')).toEqual([
    { Workspace: 'sandbox', RecordType: null, Compared: null, Repaired: null, Reason: expect.stringMatching(/espocrm|EspoCRM|reach/) },
  ])

  await hubspot.close()
  // What this process connects to is counted, not what reaches the ports, which belong to any program once the simulators are closed.
  const ports = [espocrm, hubspot].map(({ url }) => new URL(url).port)
  const asked: string[] = []
  const onConnect = (message: unknown) => {
    const { host } = (message as { readonly connectParams: { readonly host: string } }).connectParams
    if (ports.includes(new URL(`http://${host}`).port)) asked.push(host)
  }
  subscribe('undici:client:beforeConnect', onConnect)
  expect(accountsIn(await crm('mirror'))).toEqual([
    ['default', true, null],
    ['sandbox', true, null],
  ])
  expect(asked).toEqual([])
  await crm('mirror', 'verify')
  unsubscribe('undici:client:beforeConnect', onConnect)
  expect(asked.length).toBeGreaterThan(0)
})
