import { isObject } from '../../helpers/is-object.ts'

export type Members = { readonly [name: string]: unknown }

/** How to remove empty members and cut long texts, at any depth, and how often that was done. */
export interface Truncation {
  readonly longest: number
  /** Keeps null, where it has a meaning. */
  readonly keepsEmpty?: boolean
  empty: number
  cut: number
}

export function truncate(value: unknown, how: Truncation): unknown {
  if (typeof value === 'string') return text(value, how)
  if (Array.isArray(value)) return value.map((one) => truncate(one, how))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => {
      if (one !== null || how.keepsEmpty) return [[name, truncate(one, how)]]
      how.empty += 1
      return []
    }),
  )
}

/** How long a text may be in a page, and on its own. */
export const MAX_TEXT_IN_PAGE = 500
export const MAX_TEXT = 2000

export function withoutEmpty(value: unknown): unknown {
  return truncate(value, { longest: Number.POSITIVE_INFINITY, empty: 0, cut: 0 })
}

function text(value: string, how: Truncation): string {
  if (value.length <= how.longest) return value
  how.cut += 1
  // Does not cut a surrogate pair in half.
  const head = value.slice(0, how.longest).replace(/[\uD800-\uDBFF]$/, '')
  return `${head}… (${value.length - head.length} more characters)`
}
