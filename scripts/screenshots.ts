/** npm run screenshots [NAME…]: pictures of the console for the README and the docs, with the data of `crm demo`. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { launchBrowser } from '../tests/support/browser.ts'

interface Picture {
  readonly name: string
  readonly hash: string
  readonly theme: 'light' | 'dark'
  readonly width: number
  readonly height: number
  readonly signedOut?: boolean
  /** The buttons that are pressed first. */
  readonly press?: readonly RegExp[]
}

const PICTURES: readonly Picture[] = [
  { name: 'overview', hash: '#/', theme: 'light', width: 1360, height: 900 },
  { name: 'opportunities', hash: `#/opportunities?order=${encodeURIComponent('Amount desc')}`, theme: 'dark', width: 1360, height: 640 },
  { name: 'fields', hash: '#/fields/leads', theme: 'light', width: 1360, height: 560 },
  { name: 'phone', hash: '#/', theme: 'light', width: 375, height: 760 },
  { name: 'sign-in', hash: '', theme: 'light', width: 760, height: 700, signedOut: true },
  { name: 'consent', hash: 'consent', theme: 'light', width: 720, height: 720 },
]

/** These come last, since the records of the demo are not shown while a CRM is connected. */
const CONNECTION_PICTURES: readonly Picture[] = [
  { name: 'connections', hash: '#/connections', theme: 'light', width: 1360, height: 420 },
  { name: 'connect', hash: '#/connections', theme: 'light', width: 1360, height: 860, press: [/^Connect a CRM/, /^Salesforce/] },
]

/** Fields that a workspace might define. */
const FIELDS = [
  { FieldName: 'Score', Kind: 'integer', Indexed: true },
  { FieldName: 'Interests', Kind: 'choices', Values: ['Licence', 'Support', 'Training', 'Migration', 'Spare parts'] },
  { FieldName: 'CustomerNumber', Kind: 'text', Label: 'Customer number', Unique: true },
  { FieldName: 'PartnerID', Kind: 'reference', Label: 'Partner', RefersTo: 'Company' },
]

const images = 'docs/images'
const main = resolve('dist/main.js')
const key = 'a-key-for-pictures-of-the-console-0'
const folder = mkdtempSync(join(tmpdir(), 'crm-pictures-'))
const env = {
  ...process.env,
  CRM_PLATFORM: `sqlite:${join(folder, 'crm.db')}`,
  CRM_ADMIN_KEY: key,
  CRM_PORT: '0',
  CRM_CONNECT_PRIVATE: 'true',
  CRM_OIDC_ISSUER: 'https://login.example.com',
  CRM_OIDC_CLIENT_ID: 'crm',
  CRM_OIDC_NAME: 'Acme',
}
const only = process.argv.slice(2)
writeFileSync(join(folder, 'crm.config.json'), JSON.stringify({ signIn: { unknown: { workspace: 'default' } } }))

execFileSync(process.execPath, [main, 'demo'], { cwd: folder, env, stdio: 'ignore' })
const service = spawn(process.execPath, [main, 'serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] })
const browser = await launchBrowser()
const hubspot = await startSimulator(simulateHubSpot)
try {
  let output = ''
  while (!/Listening on (\S+)\n/.test(output)) output += String((await once(service.stdout, 'data'))[0])
  const [, url] = /Listening on (\S+)\n/.exec(output) ?? []
  mkdirSync(images, { recursive: true })
  for (const field of FIELDS) await call(`${url}`, 'define_field', { RecordType: 'Lead', ...field })
  for (const picture of PICTURES) await take(`${url}`, picture)
  await connect(`${url}`)
  for (const picture of CONNECTION_PICTURES) await take(`${url}`, picture)
} finally {
  await browser.close()
  await hubspot.close()
  service.kill()
  await once(service, 'exit')
  rmSync(folder, { recursive: true, force: true })
}

async function take(url: string, { name, hash, theme, width, height, signedOut = false, press = [] }: Picture): Promise<void> {
  if (only.length > 0 && !only.includes(name)) return
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme })
  if (!signedOut) await page.addInitScript(`sessionStorage.setItem('crm-connector-key', ${JSON.stringify(key)})`)
  await page.goto(hash === 'consent' ? await authorization(url) : `${url}/${hash}`)
  await page.locator('main h1').waitFor()
  // The policy of the page forbids `waitForFunction` to evaluate a text.
  while ((await page.locator('.skeleton, .spinner, [aria-busy=true]').count()) > 0) await page.waitForTimeout(100)
  for (const button of press) await page.getByRole('button', { name: button }).click()
  // The charts are animated.
  await page.waitForTimeout(2000)
  await page.screenshot({ path: join(images, `${name}.png`) })
  console.log(join(images, `${name}.png`))
}

/** An account that is connected, and one that still has to be allowed in a browser. */
async function connect(url: string): Promise<void> {
  const salesforce = { Platform: 'salesforce', SignIn: 'browser', Address: 'https://acme.my.salesforce.com', Secrets: { clientId: 'app' }, InUse: false }
  await call(url, 'create_connection', { ...salesforce, Label: 'Salesforce of Acme' })
  await call(url, 'create_connection', { Platform: 'hubspot', Label: 'HubSpot of Acme', Address: hubspot.url, Secrets: { token: 'simulator' } })
}

async function call(url: string, operation: string, input: object): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}/v1/operations/${operation}`, { method: 'POST', headers, body: JSON.stringify(input) })
  if (!response.ok) throw new Error(await response.text())
}

/** The address at which an agent asks for access. */
async function authorization(url: string): Promise<string> {
  const redirect = 'http://127.0.0.1:33418/callback'
  const metadata = { client_name: 'Sales assistant', client_uri: 'https://assistant.example', redirect_uris: [redirect], token_endpoint_auth_method: 'none' }
  const response = await fetch(`${url}/oauth/register`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(metadata) })
  const { client_id } = (await response.json()) as { client_id: string }
  const asked = {
    response_type: 'code',
    client_id,
    redirect_uri: redirect,
    scope: 'read write delete',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  }
  return `${url}/oauth/authorize?${new URLSearchParams(asked)}`
}
