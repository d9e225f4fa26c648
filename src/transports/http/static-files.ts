import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { CrmError } from '../../contract/errors.ts'
import { type StaticContent, staticContent } from './static-content.ts'

const TYPES: { readonly [ending: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

export interface Files {
  read(name: string): Promise<StaticContent>
}

/** Built files, each read with its first request, then cached. The caller must check the name against path traversal. */
export function createFiles(folder: string): Files {
  const cache = new Map<string, Promise<StaticContent>>()

  const load = async (name: string): Promise<StaticContent> => {
    const body = await readFile(join(folder, name)).catch((cause: unknown) => {
      throw new CrmError('not_found', `The file ${name} is not there.`, { hint: 'Build it with: npm run build', cause })
    })
    const type = TYPES[extname(name)] ?? 'application/octet-stream'
    return staticContent(type, body)
  }

  return {
    read(name) {
      const found = cache.get(name) ?? load(name)
      cache.set(name, found)
      found.catch(() => cache.delete(name))
      return found
    },
  }
}
