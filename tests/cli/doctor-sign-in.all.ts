import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { crm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { listening } from '../support/oidc-issuer.ts'

interface Found {
  readonly Area: string
  readonly Name: string
  readonly State: string
  readonly Says: string
}

/** What the doctor says of the sign-in. */
async function examined(issuer: string): Promise<readonly Found[]> {
  return (await examinedIn(await temporaryFolder(), issuer)).filter(({ Area }) => Area === 'Sign-in')
}

const RULE = { claims: { groups: 'crm-admins' }, role: 'admin' }

async function examinedIn(cwd: string, issuer: string, signIn: object = { rules: [RULE] }): Promise<readonly Found[]> {
  writeFileSync(join(cwd, 'crm.config.json'), JSON.stringify({ signIn }))
  const env = { CRM_OIDC_ISSUER: issuer, CRM_OIDC_CLIENT_ID: 'crm', CRM_PUBLIC_URL: 'https://crm.example.com', CRM_PORT: '0' }
  const { out } = await crm(['doctor'], { cwd, env })
  return (JSON.parse(out) as { Findings: Found[] }).Findings
}

async function issuerWith(metadata: (url: string) => object): Promise<string> {
  const http = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(metadata(url)))
  })
  const url = `http://localhost:${await listening(http)}`
  onTestFinished(() => void http.close())
  return url
}

test('the doctor finds an issuer that has what is needed', async () => {
  const url = await issuerWith((issuer) => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
  }))
  const found = await examined(url)
  expect(found.map(({ Name, State }) => `${Name} ${State}`)).toEqual(['Address good', 'Issuer good', 'Rules good'])
  expect(found[0]?.Says).toContain('https://crm.example.com/sign-in/oidc/callback')
})

test('the doctor says that an issuer is another one, is incomplete, or does not answer', async () => {
  const other = await issuerWith(() => ({ issuer: 'https://evil.example' }))
  const bare = await issuerWith((issuer) => ({ issuer, authorization_endpoint: `${issuer}/authorize` }))
  const issuerIn = (found: readonly Found[]) => found.find(({ Name }) => Name === 'Issuer')
  expect(issuerIn(await examined(other))).toMatchObject({ State: 'bad', Says: expect.stringContaining('issuer') })
  expect(issuerIn(await examined(bare))).toMatchObject({ State: 'bad', Says: expect.stringContaining('token_endpoint, jwks_uri') })
  const down = createServer()
  const port = await listening(down)
  await new Promise((closed) => down.close(closed))
  expect(issuerIn(await examined(`http://localhost:${port}`))).toMatchObject({
    State: 'bad',
    Says: expect.stringMatching(new RegExp(`^http://localhost:${port}/.well-known/openid-configuration: the issuer does not answer: .*ECONNREFUSED`)),
  })
  expect(issuerIn(await examined('http://localhost:9'))).toMatchObject({
    State: 'bad',
    Says: expect.stringMatching(/localhost:9\/.*does not answer: bad port$/),
  })
})

test('the doctor finds rules that are for workspaces which there are not', async () => {
  const cwd = await temporaryFolder()
  expect((await crm(['workspaces', 'add', 'acme'], { cwd })).code).toBe(0)
  const signIn = { rules: [RULE, { ...RULE, workspace: 'acme' }, { ...RULE, workspace: 'amce' }], unknown: { workspace: 'guests' } }
  const found = (await examinedIn(cwd, 'http://localhost:9', signIn)).filter(({ Name }) => Name === 'Sign-in rules')
  expect(found.map(({ State, Says }) => [State, Says.match(/^\S+/)?.[0], Says.match(/"(\w+)"/)?.[1]])).toEqual([
    ['bad', 'signIn.rules.2', 'amce'],
    ['bad', 'signIn.unknown', 'guests'],
  ])
})
