import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Variables that the product or the PostgreSQL driver reads, except those of the tests themselves. */
const READ = /^(CRM_(?!TEST_)|XDG_|PG)/

/**
 * Gives all tests an empty home directory and none of the variables that the product reads, so that no result depends on the
 * developer's login, configuration or keys. Workers inherit the environment; tests/support/working-directory.ts does the rest.
 */
export function setup(): () => void {
  const { HOME } = process.env
  // npm still needs its cache and settings: some tests install packages.
  if (HOME) {
    process.env.npm_config_cache ??= join(HOME, '.npm')
    process.env.npm_config_userconfig ??= join(HOME, '.npmrc')
  }
  for (const name of Object.keys(process.env).filter((name) => READ.test(name))) delete process.env[name]
  const folder = mkdtempSync(join(tmpdir(), 'crm-tests-'))
  process.env.HOME = join(folder, 'home')
  mkdirSync(process.env.HOME)
  return () => rmSync(folder, { recursive: true, force: true })
}
