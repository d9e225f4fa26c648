import { createHash, randomBytes } from 'node:crypto'
import { type Simulator, startSimulator, type WireRequest } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { simulateSalesforce } from 'crm-simulators/salesforce'
import { onTestFinished } from 'vitest'
import type { CrmDriver } from '../../../../src/platforms/crms/engine/driver.ts'
import type { Authorization, CrmKind, OpenOptions, Tokens } from '../../../../src/platforms/crms/engine/kind.ts'
import { hubspot } from '../../../../src/platforms/crms/hubspot/hubspot.ts'
import { salesforce } from '../../../../src/platforms/crms/salesforce/salesforce.ts'
import type { Retry } from '../../../../src/platforms/platform.ts'
import { decide } from '../../../support/consent.ts'

export const REDIRECT = 'http://127.0.0.1:1/callback'

export interface Crm {
  readonly name: string
  readonly kind: CrmKind & { readonly authorization: Authorization }
  readonly simulate: typeof simulateSalesforce
  readonly tokenPath: string
  /** An id that no lead has. */
  readonly absent: string
}

const authorized = (kind: CrmKind) => kind as Crm['kind']

export const SALESFORCE: Crm = {
  name: 'Salesforce',
  kind: authorized(salesforce),
  simulate: simulateSalesforce,
  tokenPath: '/services/oauth2/token',
  absent: '00Q5e00000AbCdEEAV',
}
export const HUBSPOT: Crm = { name: 'HubSpot', kind: authorized(hubspot), simulate: simulateHubSpot, tokenPath: '/oauth/2026-03/token', absent: '1' }

/** Sends a request that needs a session, and finds nothing. */
export const readWith =
  ({ absent }: Crm) =>
  async (driver: CrmDriver) =>
    (await driver.get('Lead', [absent]))[0]

/** Tries again a few times, at once. */
export const retry: Retry = async (attempt, look) => {
  for (let left = 4; ; left--) {
    try {
      return await attempt()
    } catch (error) {
      if (left === 0 || !look(error).retryable) throw error
    }
  }
}

/** A simulated account for one test, with what a connection to it needs. */
export async function startAccount({ kind, simulate, tokenPath }: Crm) {
  const sent: WireRequest[] = []
  const simulator: Simulator = await startSimulator((world) => {
    const simulated = simulate(world)
    const answer = (request: WireRequest) => {
      sent.push(request)
      return simulated.answer(request)
    }
    return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(simulated), answer: { value: answer } }) as typeof simulated
  })
  onTestFinished(() => simulator.close())

  const opening = (more: Partial<OpenOptions> = {}): OpenOptions => ({
    address: simulator.url,
    settings: { quotaFloor: 0, timeoutMs: 5000, options: {} },
    secrets: { clientId: 'simulator', clientSecret: 'simulator' },
    tables: kind.tables({}),
    retry,
    ...more,
  })
  const verifier = randomBytes(48).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')

  return {
    simulator,
    sent,
    opening,
    verifier,
    /** The address that a person would open. */
    address: (more?: Partial<OpenOptions>) => new URL(kind.authorization.address(opening(more), { redirectUri: REDIRECT, state: 'state', challenge })),
    async code(): Promise<string> {
      return (await decide(this.address().href)).searchParams.get('code') ?? ''
    },
    exchange: (code: string, with_: { readonly verifier?: string; readonly redirectUri?: string } = {}) =>
      kind.authorization.exchange(opening(), { redirectUri: REDIRECT, code, verifier, ...with_ }),
    async authorize(): Promise<Tokens> {
      return this.exchange(await this.code())
    },
    async open(more: Partial<OpenOptions>): Promise<CrmDriver> {
      const driver = await kind.open(opening(more))
      onTestFinished(() => driver.close())
      return driver
    },
    renewals: () => sent.filter(({ path, body }) => path === tokenPath && body.includes('grant_type=refresh_token')).length,
    /** How often each refresh token was used. */
    uses: () => simulator.simulated.tokens?.list().map(({ uses }) => uses) ?? [],
  }
}
