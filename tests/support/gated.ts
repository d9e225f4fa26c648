import type { Simulator, startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { expect, vi } from 'vitest'
import { simulate } from './connected.ts'

type Simulate = Parameters<typeof startSimulator>[0]
type Answer = ReturnType<ReturnType<Simulate>['answer']>

/** What becomes of the requests that were held back. */
type End = 'answered' | 'lost'

export interface Gate {
  /** Resolves once a request is held back. */
  reached(): Promise<void>
  /** Lets them go on, or ends them as if they had never been sent. */
  release(end?: End): void
}

export interface GatedAccount {
  readonly url: string
  readonly simulator: Simulator
  /** All requests so far, such as `GET /crm/v3/objects/contacts`. */
  readonly requests: readonly string[]
  /** Holds requests back from now on: before they are executed, or when they were, and only the answer is left to be sent. */
  hold(of?: string, when?: 'before' | 'after'): Gate
}

/** A HubSpot account that can be made to hold its requests back. */
export async function gatedAccount(): Promise<GatedAccount> {
  const requests: string[] = []
  let gate: { readonly of: string; readonly when: string; readonly held: string[]; readonly end: Promise<End> } | undefined
  const simulator = await simulate((world) => {
    const simulated = simulateHubSpot(world)
    return {
      ...simulated,
      async answer(request): Promise<Awaited<Answer>> {
        const name = `${request.method} ${request.path}`
        requests.push(name)
        const held = gate && name.includes(gate.of) ? gate : undefined
        const answer = held?.when === 'after' ? await simulated.answer(request) : undefined
        held?.held.push(name)
        if ((await held?.end) === 'lost') return { status: 500, body: {} }
        return answer ?? simulated.answer(request)
      },
    }
  })
  return {
    url: simulator.url,
    simulator,
    requests,
    hold(of = '', when = 'before') {
      let release: Gate['release'] = () => {}
      const held: string[] = []
      const end = new Promise<End>((resolve) => {
        release = (how = 'answered') => {
          gate = undefined
          resolve(how)
        }
      })
      gate = { of, when, held, end }
      return { release: (how) => release(how), reached: () => vi.waitFor(() => expect(held).not.toEqual([]), { timeout: 60_000 }) }
    },
  }
}
