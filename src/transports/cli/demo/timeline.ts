import type { Service } from '../../../core/service.ts'
import { randomFor } from './random.ts'

export const DAY_MS = 86_400_000
const [OPENS, CLOSES] = [8 * 3_600_000, 18 * 3_600_000]

/** A fake clock, moved forwards with each write. */
export interface Timeline {
  now(): number
  /** Schedules so many writes at random times of this working day, none of them later than the present. */
  begin(midnight: number, count: number): void
  /** Moves the clock to the next scheduled write. */
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

/** The service, with the clock moved before each write. Memoised, so that `store` and `platform` stay identical objects. */
export function withTimeline(timeline: Timeline, service: Service): Service {
  const wrapped = new Map<object, object>()
  const wrap = <P extends Service['platform']>(platform: P): P => {
    const one = (wrapped.get(platform) as P | undefined) ?? {
      ...platform,
      write: (workspace: number, work: Parameters<P['write']>[1]) =>
        platform.write(workspace, (writer) => {
          timeline.next()
          return work(writer)
        }),
    }
    wrapped.set(platform, one)
    return one
  }
  return {
    ...service,
    platform: wrap(service.platform),
    store: wrap(service.store),
    platforms: new Map([...service.platforms].map(([name, platform]) => [name, wrap(platform)])),
  }
}
