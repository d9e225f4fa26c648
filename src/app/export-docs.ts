import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CrmError } from '../contract/errors.ts'
import { withoutTrailingSlashes } from '../helpers/trailing-slashes.ts'

/** Links of a page to the console beside the site. */
const TO_CONSOLE = /<a class="to-console" href="[^"]*">[^<]*<\/a>\n|<p class="try"><a href="[^"]*">[^<]*<\/a><\/p>\n/g

/**
 * Writes the documentation as static files. Links to the console lead to the one at an address; without one there are none.
 * Resolves to the number of files.
 */
export async function exportDocs(folder: string, consoleUrl: string | undefined): Promise<number> {
  // Relative to the bundled command, whose folder is beside the files built for browsers.
  const built = join(import.meta.dirname, '../docs')
  const entries = await readdir(built, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new CrmError('not_found', 'The documentation is not built.', { hint: 'Build it with: npm run build', cause })
  })
  const names = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  for (const name of names) {
    const to = join(folder, name.slice(built.length + 1))
    await mkdir(dirname(to), { recursive: true })
    if (name.endsWith('.html')) await writeFile(to, standalone(await readFile(name, 'utf8'), consoleUrl))
    else await cp(name, to)
  }
  return names.length
}

/** A page whose links to the console lead elsewhere. */
function standalone(text: string, consoleUrl: string | undefined): string {
  if (consoleUrl !== undefined) return text.replace(/(?<=")(?:\.\.\/)+(?=#\/)/g, () => `${withoutTrailingSlashes(consoleUrl)}/`)
  return text.replace(TO_CONSOLE, '')
}
