import type { CrmDriver } from '../engine/driver.ts'
import type { Hub } from './hub.ts'
import type { Objects } from './objects.ts'
import { ownerOfUser } from './owners.ts'

const CHANGED_BY = 'hs_updated_by_user_id'

/** Who has changed records last. HubSpot tells the user, who is an owner under another id. */
export function createChangedBy(
  connection: Hub,
  objectOf: (type: string, id: string) => string | undefined,
  objectsOf: (object: string) => Objects,
): Required<CrmDriver>['changedBy'] {
  /** Owners by the ids of users; undefined for those who are none. */
  const owners = new Map<string, string | undefined>()

  async function ownerOf(user: string): Promise<string | undefined> {
    if (!owners.has(user)) owners.set(user, await ownerOfUser(connection, user))
    return owners.get(user)
  }

  return async (type, ids) => {
    const byObject = new Map<string, string[]>()
    for (const id of ids) {
      const object = objectOf(type, id)
      if (object !== undefined) byObject.set(object, [...(byObject.get(object) ?? []), id])
    }
    const found = new Map<string, string>()
    for (const [object, some] of byObject) {
      const given = new Map(some.map((id) => [id.slice(id.lastIndexOf('.') + 1), id]))
      for (const { id, properties } of await objectsOf(object).read([...given.keys()], [CHANGED_BY])) {
        const user = properties[CHANGED_BY]
        const owner = typeof user === 'string' && user !== '' ? await ownerOf(user) : undefined
        if (owner !== undefined) found.set(given.get(id) ?? id, owner)
      }
    }
    return found
  }
}
