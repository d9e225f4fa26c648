import { lstatSync, rmSync } from 'node:fs'
import { CrmError } from '../../contract/errors.ts'

/**
 * Where a file is written until it is complete; what an interrupted command has left there is removed. Open it with `wx`. A symbolic link
 * is refused, here and under the name of the file: someone may have put it there to have another file overwritten.
 */
export function partOf(path: string): string {
  const part = `${path}.part`
  for (const name of [path, part]) {
    if (lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new CrmError('conflict', `${name} is a symbolic link, which is not followed.`, { hint: 'Remove it, or choose another name.' })
  }
  rmSync(part, { force: true })
  return part
}
