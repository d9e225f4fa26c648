import { statSync } from 'node:fs'

const OTHERS = 0o077

/** The rights that others have on a file or folder, as chmod writes all of them; undefined where they have none. */
export function modeOpenToOthers(path: string): string | undefined {
  const found = process.platform === 'win32' ? undefined : statSync(path, { throwIfNoEntry: false })
  return found && (found.mode & OTHERS) !== 0 ? (found.mode & 0o777).toString(8) : undefined
}
