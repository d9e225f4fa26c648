import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { CrmError } from '../../contract/errors.ts'
import { type StaticContent, staticContent } from './static-content.ts'

/** What is served of files, by how their names end. */
const TYPES: { readonly [ending: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

export interface Files {
  read(name: string): Promise<StaticContent>
}

/** Built files, each read and compressed when first asked for, then kept. Whoever asks has made sure that the name is one of theirs. */
export function createFiles(folder: string): Files {
  const kept = new Map<string, Promise<StaticContent>>()

  const load = async (name: string): Promise<StaticContent> => {
    const body = await readFile(join(folder, name)).catch((cause: unknown) => {
      throw new CrmError('not_found', `The file ${name} is not there.`, { hint: 'Build it with: npm run build', cause })
    })
    const type = TYPES[extname(name)] ?? 'application/octet-stream'
    return staticContent(type, body, type === 'image/png' ? undefined : await promisify(gzip)(body))
  }

  return {
    read(name) {
      const found = kept.get(name) ?? load(name)
      kept.set(name, found)
      found.catch(() => kept.delete(name))
      return found
    },
  }
}
