import type { Api } from './api.ts'
import { item } from './where.ts'

const CHANGES = ['create', 'update', 'delete'] as const

/** More webhooks than EspoCRM lets one user have. */
const MOST = 200

/** Has EspoCRM tell a path at an address of all changes of these objects, by webhooks of the user. */
export async function subscribe(api: Api, objects: readonly string[], address: string, path: string): Promise<void> {
  const url = address + path
  await unsubscribeElsewhere(api, url, path)
  const { list } = await api.list('Webhook', { where: [item('equals', 'url', url)], select: ['event'], orderBy: 'id', size: MOST })
  const known = new Set(list.map(({ event }) => event))
  for (const event of objects.flatMap((object) => CHANGES.map((change) => `${object}.${change}`)))
    if (!known.has(event)) await api.post('Webhook', { event, url })
}

/** Removes the webhooks to a path at all other addresses: one that is no longer served cannot give them up, and each of them counts towards those that a user may have. */
async function unsubscribeElsewhere(api: Api, url: string, path: string): Promise<void> {
  const where = [item('endsWith', 'url', path), item('notEquals', 'url', url)]
  const { list } = await api.list('Webhook', { where, select: ['url'], orderBy: 'id', size: MOST })
  // An underscore of the path stands for any character in the search.
  for (const { id, url: found } of list) if (String(found).endsWith(path) && found !== url) await api.delete(`Webhook/${encodeURIComponent(String(id))}`)
}
