import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { CrmError } from '../../contract/errors.ts'
import { type Cached, cached } from './cached.ts'

/** The only files there are; whatever else is asked for is no route at all. */
const FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
  'page.css': 'text/css; charset=utf-8',
  'docs.css': 'text/css; charset=utf-8',
  'docs.js': 'text/javascript; charset=utf-8',
} as const

type Name = keyof typeof FILES

export interface Assets {
  readonly names: readonly Name[]
  read(name: Name): Promise<Cached>
}

/** The built files of /docs, each read and compressed when first asked for, then kept. */
export function createAssets(folder: string): Assets {
  const kept = new Map<Name, Promise<Cached>>()

  const load = async (name: Name): Promise<Cached> => {
    const body = await readFile(join(folder, name)).catch((cause: unknown) => {
      throw new CrmError('not_found', `The file ${name} is not there.`, { hint: 'Build it with: npm run build', cause })
    })
    const type = FILES[name]
    return cached(type, body, type.startsWith('text/') ? await promisify(gzip)(body) : undefined)
  }

  return {
    names: Object.keys(FILES) as Name[],
    read(name) {
      const found = kept.get(name) ?? load(name)
      kept.set(name, found)
      found.catch(() => kept.delete(name))
      return found
    },
  }
}
