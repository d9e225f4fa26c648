import jsforce from 'jsforce'
import type { CrmName } from '../../../src/platforms/crms/names.ts'

/** What people do in a CRM itself and no client of the contract can. Each resolves to whether it was done. */
export interface People {
  restore(type: string, id: string): Promise<boolean>
  merge(type: string, kept: string, lost: string): Promise<boolean>
  /** Gives a note another text. */
  rewrite(note: string, text: string): Promise<boolean>
}

const OBJECTS: { readonly [crm in CrmName]: { readonly [type: string]: string } } = {
  salesforce: { Lead: 'Lead', Contact: 'Contact', Company: 'Account', Opportunity: 'Opportunity', Case: 'Case', Campaign: 'Campaign' },
  hubspot: { Lead: 'contacts', Contact: 'contacts', Company: 'companies', Opportunity: 'deals', Case: 'tickets' },
  espocrm: { Lead: 'Lead', Contact: 'Contact', Company: 'Account', Opportunity: 'Opportunity', Case: 'Case', Campaign: 'Campaign' },
}

/** The people of a simulated account. */
export function peopleOf(crm: CrmName, url: string): People {
  const object = (type: string) => OBJECTS[crm][type] ?? type

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
      }
    }
    case 'hubspot':
      return {
        restore: (type, id) => post('/simulator/restore', { type: object(type), id }),
        merge: (type, primaryObjectId, objectIdToMerge) => post(`/crm/v3/objects/${object(type)}/merge`, { primaryObjectId, objectIdToMerge }),
        rewrite: (note, text) => send('PATCH', `/crm/v3/objects/notes/${note}`, { properties: { hs_note_body: text } }),
      }
    case 'espocrm':
      return {
        restore: (type, id) => post(`/api/v1/${object(type)}/action/restoreDeleted`, { id }),
        merge: (type, id, lost) => post('/api/v1/Action', { entityType: object(type), action: 'merge', id, data: { sourceIdList: [lost], attributes: {} } }),
        rewrite: (note, text) => send('PUT', `/api/v1/Note/${note}`, { post: text }),
      }
  }
}
