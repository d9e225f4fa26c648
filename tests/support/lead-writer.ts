import { expect } from 'vitest'
import { problemIn } from './server.ts'
import type { RunningService } from './service.ts'

type Answer = { readonly status: number; readonly LeadID: string }

/** Creates leads without idempotency keys, so that only the store itself prevents duplicates. */
export class LeadWriter {
  readonly acknowledged = new Set<string>()
  #count = 0

  /** Creates leads concurrently; refusals must be retryable. Resolves to the number of refusals. */
  async write(service: RunningService, together: number): Promise<number> {
    const answers = await Promise.all(Array.from({ length: together }, () => this.#create(service)))
    return answers.filter(({ status }) => status !== 200).length
  }

  /** Writes until the disk is full. */
  async untilFull(service: RunningService): Promise<void> {
    while ((await this.write(service, 16)) === 0);
    // There may still be room for single writes.
    for (let refused = 0; refused < 20; ) refused += await this.write(service, 1)
  }

  async #create(service: RunningService): Promise<Answer> {
    const response = await service.post('create_a_lead', { FirstName: `number ${++this.#count}`, LastName: 'x'.repeat(200) })
    if (response.status === 200) {
      const { LeadID } = (await response.json()) as Answer
      this.acknowledged.add(LeadID)
      return { status: 200, LeadID }
    }
    await expectUnavailable(response)
    return { status: response.status, LeadID: '' }
  }

  /** All acknowledged leads are in the store, and no others. */
  async expectAll(service: RunningService): Promise<void> {
    const response = await service.post('get_many_leads', { Select: ['LeadID'] }, { accept: 'application/x-ndjson' })
    const lines = (await response.text()).trim().split('\n')
    const ids = lines.map((line) => (JSON.parse(line) as Answer).LeadID)
    expect(ids.sort()).toEqual([...this.acknowledged].sort())
    expect(await service.call('get_summary_of_leads')).toMatchObject({ Total: this.acknowledged.size })
  }
}

/** The response is a retryable refusal with Retry-After. */
export async function expectUnavailable(response: Response): Promise<void> {
  expect(await problemIn(response)).toMatchObject({ status: 503, code: 'platform_unavailable', retryable: true })
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
}
