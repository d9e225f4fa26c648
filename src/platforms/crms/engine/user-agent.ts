import { existsSync, readFileSync } from 'node:fs'

const NAME = 'crm-connector'

let known: string | undefined

/** How this package names itself to a CRM: with its version, from its package.json, which is above this file in the sources as well as in the bundles. */
export function userAgent(): string {
  known ??= `${NAME}/${versionAbove(new URL('.', import.meta.url))}`
  return known
}

function versionAbove(folder: URL): string {
  const file = new URL('package.json', folder)
  const found = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version: string }) : undefined
  if (found?.name === NAME) return found.version
  const above = new URL('..', folder)
  if (above.href === folder.href) throw new Error(`There is no package.json of ${NAME} above ${import.meta.url}.`)
  return versionAbove(above)
}
