import type { Service } from '../../../core/service.ts'
import { randomFor } from './random.ts'

export const DAY_MS = 86_400_000
const [OPENS, CLOSES] = [8 * 3_600_000, 18 * 3_600_000]

/** A clock that stands still until the next thing happens, and is only ever moved forwards. */
export interface Timeline {
  now(): number
  /** From here on so many things happen on this day, at moments of the working day, none of them later than the present. */
  begin(midnight: number, count: number): void
  /** Goes on to the moment of the next of them. */
  next(): void
}

export function createTimeline(seed: number, from: number, present: number): Timeline {
  let at = from
  let moments: readonly number[] = []
  let place = 0
  return {
    now: () => at,
    begin(midnight, count) {
      const random = randomFor(seed, 'day', midnight)
      const [first, last] = [Math.min(midnight + OPENS, present - 1), Math.min(midnight + CLOSES, present)]
      moments = Array.from({ length: count }, () => Math.floor(first + random.next() * (last - first))).sort((a, b) => a - b)
      place = 0
    },
    next() {
      at = Math.max(at, moments[place++] ?? at)
    },
  }
}

/** The service, with every write moved to the moment that is next. */
export function toldBy(timeline: Timeline, service: Service): Service {
  const known = new Map<object, object>()
  const told = <P extends Service['platform']>(platform: P): P => {
    const one = (known.get(platform) as P | undefined) ?? {
      ...platform,
      write: (workspace: number, work: Parameters<P['write']>[1]) =>
        platform.write(workspace, (writer) => {
          timeline.next()
          return work(writer)
        }),
    }
    known.set(platform, one)
    return one
  }
  return {
    ...service,
    platform: told(service.platform),
    store: told(service.store),
    platforms: new Map([...service.platforms].map(([name, platform]) => [name, told(platform)])),
  }
}
