import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Debian's browsers. The headless shell comes first, as it is several times faster. */
export const DEBIAN_CHROMIUMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

/** The npm package with a browser exists for x64 only. */
export const isPackaged = process.arch === 'x64'

/**
 * Installs Chromium with apt-get where npm has none for this processor. If that fails, the tests that need a browser fail with
 * instructions.
 */
export function setup(): void {
  if (isPackaged || [process.env.CRM_TEST_CHROMIUM ?? DEBIAN_CHROMIUMS].flat().some((path) => existsSync(path))) return
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  console.log(`Installing chromium-headless-shell with apt-get, since npm has no browser for ${process.arch}. CRM_TEST_CHROMIUM=/path/to/chrome takes another.`)
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' })
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium-headless-shell'], {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  } catch (error) {
    console.log(`That failed: ${(error as Error).message}`)
  }
}
