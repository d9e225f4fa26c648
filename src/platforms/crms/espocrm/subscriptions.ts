import type { Api } from './api.ts'
import { item } from './where.ts'

const CHANGES = ['create', 'update', 'delete'] as const

/** More webhooks than EspoCRM lets one user have. */
const MOST = 200

/** Has EspoCRM tell an address of all changes of these objects, by webhooks of the user. */
export async function subscribe(api: Api, objects: readonly string[], url: string): Promise<void> {
  const { list } = await api.list('Webhook', { where: [item('equals', 'url', url)], select: ['event'], orderBy: 'id', size: MOST })
  const known = new Set(list.map(({ event }) => event))
  for (const event of objects.flatMap((object) => CHANGES.map((change) => `${object}.${change}`)))
    if (!known.has(event)) await api.post('Webhook', { event, url })
}
