import { isCrm, normalizeAddress } from '../config/crm-address.ts'
import { withoutPassword } from '../platforms/stores/postgres/address.ts'

/** The file of a SQLite store, or undefined for any other platform. */
export function sqlitePath(url: string): string | undefined {
  const [, path] = /^sqlite:(.+)$/.exec(url) ?? []
  return path
}

export const isPostgres = (url: string) => /^postgres(ql)?:/.test(url)

/** A store or platform as it may be shown: a path, or an address without its password. */
export function shownStore(url: string): string {
  return sqlitePath(url) ?? (isCrm(url) ? normalizeAddress(url) : withoutPassword(url))
}
