import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { DEBIAN_CHROMIUMS, packaged } from './chromium.ts'

/** Chromium must not send requests of its own, and has to run as root in containers. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

interface Candidate {
  readonly name: string
  /** Resolves to undefined if it is not installed. */
  find(): Promise<{ readonly executablePath: string } | undefined>
}

const CANDIDATES: readonly Candidate[] = [
  { name: 'the browser named by CRM_TEST_CHROMIUM', find: async () => installed(process.env.CRM_TEST_CHROMIUM) },
  ...DEBIAN_CHROMIUMS.map((path) => ({ name: path, find: async () => installed(path) })),
  { name: '@sparticuz/chromium', find: packaged },
]

/** Browsers crash now and then while starting, so each is tried twice. */
const TRIES = 2

/** Launches an installed browser. Without one it fails with instructions to install it. */
export async function launchBrowser(): Promise<Browser> {
  const failures: string[] = []
  for (const { name, find } of CANDIDATES) {
    try {
      const found = await find()
      if (found) return await launched(found)
      failures.push(`${name}: not there`)
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  throw new Error(
    [
      'These tests need a Chromium. Any of these will do:',
      '  npm install            (brings @sparticuz/chromium, on x64)',
      '  apt-get install chromium-headless-shell',
      '  CRM_TEST_CHROMIUM=/path/to/chrome npm test',
      'What was tried:',
      ...failures.map((failure) => `  ${failure}`),
    ].join('\n'),
  )
}

async function launched(found: { readonly executablePath: string }, tries = TRIES): Promise<Browser> {
  try {
    return await chromium.launch({ ...found, args: FLAGS, headless: true })
  } catch (error) {
    if (tries <= 1) throw error
    return launched(found, tries - 1)
  }
}

function installed(path: string | undefined) {
  return path && existsSync(path) ? { executablePath: path } : undefined
}
