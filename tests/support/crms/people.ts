import jsforce from 'jsforce'
import type { CrmName } from '../../../src/platforms/crms/names.ts'

/** What people do in a CRM itself and no client of the contract can. Each resolves to whether it was done. */
export interface People {
  restore(type: string, id: string): Promise<boolean>
  merge(type: string, kept: string, lost: string): Promise<boolean>
  /** Gives a note another text. */
  rewrite(note: string, text: string): Promise<boolean>
  /** Removes what was deleted so far from the log of deletions and the recycle bin, where a CRM has a log. */
  purgeDeleted?(): Promise<boolean>
}

const OBJECTS: { readonly [crm in CrmName]: { readonly [type: string]: string } } = {
  salesforce: { Lead: 'Lead', Contact: 'Contact', Company: 'Account', Opportunity: 'Opportunity', Case: 'Case', Campaign: 'Campaign' },
  hubspot: { Lead: 'contacts', Contact: 'contacts', Company: 'companies', Opportunity: 'deals', Case: 'tickets' },
  espocrm: { Lead: 'Lead', Contact: 'Contact', Company: 'Account', Opportunity: 'Opportunity', Case: 'Case', Campaign: 'Campaign' },
}

/** The people of a simulated account. */
export function peopleOf(crm: CrmName, url: string): People {
  const object = (type: string) => OBJECTS[crm][type] ?? type

  /** The object of a record and its id there. Custom objects of HubSpot and EspoCRM have both in their id. */
  const placeOf = (type: string, id: string): readonly [object: string, id: string] => {
    const [custom = '', own] = id.split('.')
    return own === undefined ? [object(type), id] : [custom, own]
  }

  async function send(method: string, path: string, body: unknown): Promise<boolean> {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer simulator', 'x-api-key': 'simulator' }
    const answer = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })
    await answer.text()
    return answer.ok
  }
  const post = (path: string, body: unknown) => send('POST', path, body)

  switch (crm) {
    case 'salesforce': {
      const connection = new jsforce.Connection({ instanceUrl: url, accessToken: 'simulator', version: '66.0' })
      const { soap } = connection
      const isDone = (results: unknown) => (results as readonly { readonly success: boolean }[]).every(({ success }) => success)
      return {
        restore: async (_type, id) => isDone(await soap.undelete([id])),
        merge: async (type, Id, lost) => isDone(await soap.merge([{ masterRecord: { type: object(type), Id }, recordToMergeIds: [lost] } as never])),
        rewrite: async (Id, Body) => isDone([await connection.sobject('Note').update({ Id, Body })]),
        purgeDeleted: () => post('/simulator/deleted/purge', {}),
      }
    }
    case 'hubspot':
      return {
        restore(type, given) {
          const [object, id] = placeOf(type, given)
          return post('/simulator/restore', { type: object, id })
        },
        merge(type, kept, lost) {
          const [[object, primaryObjectId], [, objectIdToMerge]] = [placeOf(type, kept), placeOf(type, lost)]
          return post(`/crm/v3/objects/${object}/merge`, { primaryObjectId, objectIdToMerge })
        },
        rewrite: (note, text) => send('PATCH', `/crm/v3/objects/notes/${note}`, { properties: { hs_note_body: text } }),
      }
    case 'espocrm':
      return {
        restore(type, given) {
          const [object, id] = placeOf(type, given)
          return post(`/api/v1/${object}/action/restoreDeleted`, { id })
        },
        merge(type, kept, lost) {
          const [[entityType, id], [, source]] = [placeOf(type, kept), placeOf(type, lost)]
          return post('/api/v1/Action', { entityType, action: 'merge', id, data: { sourceIdList: [source], attributes: {} } })
        },
        rewrite: (note, text) => send('PUT', `/api/v1/Note/${note}`, { post: text }),
      }
  }
}
