import { Definition } from '../contract/records/custom-object.ts'
import type { KeptAccount } from '../core/connections/accounts.ts'
import { findAmong } from '../platforms/crms/engine/definitions.ts'
import type { Found, Platform, Query, Reader } from '../platforms/platform.ts'

/** How long a CRM may take to answer with its definitions before those that were kept are used. */
const WAIT_MS = 3_000

/**
 * A CRM whose custom objects can be read from the mirror while it does not answer: the definitions that the store has kept then stand in for its own. Once they did, further
 * reads do not wait for the CRM, until it has answered again.
 */
export function withKeptDefinitions(platform: Platform, recall: () => Promise<KeptAccount | undefined>): Platform {
  let isSilent = false
  let underWay = 0

  async function ask(reader: Reader, query: Query): Promise<Found> {
    underWay++
    try {
      const found = await reader.find(Definition.name, query)
      isSilent = false
      return found
    } finally {
      underWay--
    }
  }

  async function keptFor(query: Query): Promise<Found | undefined> {
    const kept = await recall()
    return kept && findAmong(kept.definitions, query)
  }

  async function find(reader: Reader, query: Query): Promise<Found> {
    if (isSilent) {
      if (underWay === 0) ask(reader, query).catch(() => {})
      const kept = await keptFor(query)
      if (kept) return kept
    }
    const answer = ask(reader, query)
    const kept = (await isMissing(answer)) ? await keptFor(query) : undefined
    if (!kept) return answer
    isSilent = true
    return kept
  }

  /** Whether the CRM does not answer, or not in time. */
  async function isMissing(answer: Promise<Found>): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<true>((resolve) => {
      timer = setTimeout(resolve, WAIT_MS, true)
    })
    const isDown = answer.then(
      () => false,
      (error: unknown) => platform.classify(error)?.code === 'platform_unavailable',
    )
    return Promise.race([isDown, late]).finally(() => clearTimeout(timer))
  }

  return {
    ...platform,
    get supports() {
      return platform.supports
    },
    reader(workspace, options) {
      const reader = platform.reader(workspace, options)
      return Object.create(reader, {
        find: { value: (type: string, query: Query) => (type === Definition.name ? find(reader, query) : reader.find(type, query)) },
      }) as Reader
    },
  }
}
