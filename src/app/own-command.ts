import { basename, resolve, sep } from 'node:path'

/** How this program is run again, in any folder: as `crm` where that is on the path, and by its file where npm has started it. */
export function ownCommand(script = process.argv[1] ?? 'crm'): readonly string[] {
  const isOnPath = basename(script) === 'crm' && !script.split(sep).includes('node_modules')
  return isOnPath ? ['crm'] : ['node', resolve(script)]
}
