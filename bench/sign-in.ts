import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import autocannon from 'autocannon'
import { signInPerson } from '../src/core/oidc/people.ts'
import type { OidcSettings } from '../src/core/oidc/settings.ts'
import { createService } from '../src/core/service.ts'
import { openSqlite } from '../src/platforms/stores/sqlite/sqlite.ts'
import { connect } from '../src/transports/sdk/connect.ts'
import { cpuMicroseconds, median, start } from './processes.ts'
import type { Result } from './report.ts'

const CONNECTIONS = 64
/** Many short rounds, the sides in turn: the ratio is close to 1, and a busy machine is not the same for long. */
const SECONDS = 1
const ROUNDS = 20

const ISSUER = 'https://login.example.com'
const RULES = { rules: [], unknown: { role: 'member', workspace: 'default' }, linkByEmail: false } as const

/** What a call costs by the session of a person, against the same call by a key, in the same run. */
export async function signInRatios(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-bench-'))
  const file = join(folder, 'crm.db')
  writeFileSync(join(folder, 'crm.config.json'), JSON.stringify({ signIn: { unknown: { workspace: 'default' } } }))
  const env = { CRM_PLATFORM: `sqlite:${file}`, CRM_PORT: '0', CRM_OIDC_ISSUER: ISSUER, CRM_OIDC_CLIENT_ID: 'crm' }
  const service = await start([resolve('dist/main.js'), 'serve'], env, folder)
  try {
    const secret = await session(file)
    const crm = connect({ baseUrl: service.url, key: readFileSync(join(folder, 'admin-key'), 'utf8').trim() })
    const { UserID } = (await crm.users.getMany({ Filters: { Identity: `${ISSUER}#bench` } })).Records[0] as { UserID: string }
    const { Key } = await crm.keys.create({ UserID, Scopes: ['read', 'write', 'delete'] })
    const { LeadID } = await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace', OwnerID: UserID })
    const sides = {
      session: { cookie: `crm-session=${secret}`, 'sec-fetch-site': 'same-origin', 'x-requested-by': 'console' },
      key: { authorization: `Bearer ${Key}` },
    }
    const measure = async (side: keyof typeof sides, seconds = SECONDS) => {
      const before = cpuMicroseconds(service.process.pid as number)
      const run = await autocannon({
        url: `${service.url}/v1/operations/get_leads`,
        method: 'POST',
        headers: { ...sides[side], 'content-type': 'application/json' },
        body: JSON.stringify({ LeadID }),
        connections: CONNECTIONS,
        duration: seconds,
      })
      if (run.non2xx > 0 || run.errors > 0) throw new Error(`${side}: ${run.non2xx} refusals, ${run.errors} errors`)
      return { rate: run.requests.average, cpu: (cpuMicroseconds(service.process.pid as number) - before) / run.requests.total }
    }
    const rounds: Record<keyof typeof sides, { rate: number; cpu: number }>[] = []
    await measure('session', 2)
    await measure('key', 2)
    for (let round = 0; round < ROUNDS; round++) {
      const first = round % 2 === 0 ? 'key' : 'session'
      const [one, other] = [await measure(first), await measure(first === 'key' ? 'session' : 'key')]
      rounds.push(first === 'key' ? { key: one, session: other } : { key: other, session: one })
    }
    const figures = (side: keyof typeof sides) =>
      `${Math.round(median(rounds.map((round) => round[side].rate)))}/s, ${Math.round(median(rounds.map((round) => round[side].cpu)))} µs`
    return [
      {
        what: `Get Leads by the session of a person, ${CONNECTIONS} connections`,
        ours: figures('session'),
        other: `by a key ${figures('key')}`,
        ratio: median(rounds.map((round) => round.key.rate / round.session.rate)),
        cpuRatio: median(rounds.map((round) => round.session.cpu / round.key.cpu)),
        atMost: 1.1,
      },
    ]
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The secret of a session, of a person as whom no issuer is needed. */
async function session(file: string): Promise<string> {
  const store = await openSqlite(file)
  const settings: OidcSettings = { issuer: ISSUER, clientId: 'crm', clientSecret: undefined, name: '', scopes: 'openid', sessionMs: 3_600_000, ...RULES }
  const person = { claims: { iss: ISSUER, sub: 'bench' }, idToken: '' }
  const { secret } = await signInPerson(createService({ platform: store, store }), settings, person, 'bench').finally(() => store.close())
  return secret
}
