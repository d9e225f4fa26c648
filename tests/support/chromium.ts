import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Debian's browsers. The headless shell comes first, as it is several times faster. */
export const DEBIAN_CHROMIUMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

/** The npm package with a browser exists for x64 only. */
const isPackaged = process.arch === 'x64'

/** The browser from npm, which is unpacked when its path is first asked for; undefined where npm has none. */
export async function packaged(): Promise<{ readonly executablePath: string } | undefined> {
  if (!isPackaged) return undefined
  // With this variable the package also unpacks the shared libraries that the browser needs.
  process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs20.x'
  // The package is optional, so the compiler must not resolve its name.
  const name: string = '@sparticuz/chromium'
  const module = (await import(name).catch(() => undefined)) as { default: { executablePath(): Promise<string> } } | undefined
  return module && { executablePath: await module.default.executablePath() }
}

/**
 * Unpacks the browser from npm, which workers that find a half of it would take for the whole. Where npm has none for this processor, it installs Chromium with
 * apt-get. If that fails, the tests that need a browser fail with instructions.
 */
export async function setup(): Promise<void> {
  if ([process.env.CRM_TEST_CHROMIUM ?? DEBIAN_CHROMIUMS].flat().some((path) => existsSync(path))) return
  if (await packaged().catch(() => undefined)) return
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
