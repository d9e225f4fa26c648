import type { WireAnswer, WireRequest } from '../../simulated.ts'
import { Refusal } from '../errors.ts'
import { TEXT } from '../objects/fields.ts'
import type { SObject } from '../objects/objects.ts'
import type { Org } from '../org.ts'
import type { Session } from '../records/records.ts'
import { shown } from '../records/shapes.ts'
import { writeTime } from '../records/times.ts'
import { run } from '../soql/soql.ts'
import { bodyOf } from './bodies.ts'
import { termTest, tokensOf } from './search-terms.ts'
import { selected } from './selection.ts'

const FIND = /^\s*FIND\s*\{((?:\\.|[^}\\])*)\}\s*(?:IN\s+\w+\s+FIELDS\s*)?(?:RETURNING\s+(.+?))?(?:\s+LIMIT\s+(\d+))?\s*$/is
const SEARCHED = ['Account', 'Campaign', 'Case', 'Contact', 'Lead', 'Opportunity', 'Task', 'User']
const MOST = 2000
const LONGEST = 20_000

/** Full-text search. The only request that `index-lag` applies to: SOQL reads are never stale. */
export function search(org: Org, session: Session, request: WireRequest): WireAnswer {
  const { text, objects, limit } = wanted(org, request)
  if (text.replace(/[*?\\]/g, '').trim().length < 2) throw new Refusal(400, 'MALFORMED_SEARCH', `search term must be longer than one character: ${text}`)
  const lag = org.world.faults.amount('index-lag', request) ?? 0
  const indexed = writeTime(Number(org.world.now()) - lag)
  const test = termTest(text)
  const searchRecords = objects.flatMap(({ object, fields, clauses = '' }) => {
    const [, rest = '', most] = /^([\s\S]*?)(?:\sLIMIT\s+(\d+)\s*)?$/i.exec(clauses) ?? []
    const table = org.table(object)
    const among =
      clauses === '' ? [...table.listed()] : allOf(run(org, session, `SELECT Id FROM ${object.name} ${rest}`)).flatMap(({ Id }) => table.listedAt(Id) ?? [])
    const shape = selected(org, session, object, fields)
    const texts = org.schema.fields(object).filter(({ type }) => TEXT.has(type) && type !== 'picklist')
    const rows = among.filter((row) => {
      if (row.IsDeleted || (lag > 0 && String(row.SystemModstamp) > indexed)) return false
      return test(tokensOf(texts.map(({ name }) => String(row[name] ?? '')).join(' | ')))
    })
    return rows.slice(0, Number(most ?? MOST)).map((row) => shown(org, session, object, row, shape))
  })
  return { status: 200, body: { searchRecords: searchRecords.slice(0, limit) } }
}

interface Wanted {
  readonly text: string
  readonly objects: readonly { readonly object: SObject; readonly fields: readonly string[]; readonly clauses?: string }[]
  readonly limit: number
}

function wanted(org: Org, request: WireRequest): Wanted {
  const plain = request.path.includes('/parameterizedSearch')
  if (plain && request.method === 'POST') {
    const { q, sobjects, overallLimit } = bodyOf(request)
    const named = (Array.isArray(sobjects) ? sobjects : []) as { readonly name?: unknown; readonly fields?: unknown }[]
    const objects = named.map(({ name, fields }) => ({ object: objectFor(org, String(name)), fields: Array.isArray(fields) ? fields.map(String) : ['Id'] }))
    return { text: String(q ?? ''), objects: objects.length > 0 ? objects : everything(org), limit: Number(overallLimit ?? MOST) || MOST }
  }
  const query = request.query.get('q') ?? ''
  if (plain) {
    const name = request.query.get('sobject')
    const fields = (request.query.get('fields') ?? 'Id').split(',')
    return { text: query, objects: name === null ? everything(org) : [{ object: objectFor(org, name), fields }], limit: MOST }
  }
  if (query.length > LONGEST) throw new Refusal(400, 'MALFORMED_SEARCH', 'SOSL statements cannot be longer than 20,000 characters.')
  const [, text, returning, limit] = FIND.exec(query) ?? []
  if (text === undefined) throw new Refusal(400, 'MALFORMED_SEARCH', 'No search term found. The search term must be enclosed in braces.')
  return { text, objects: returning === undefined ? everything(org) : returned(org, returning), limit: Number(limit ?? MOST) }
}

const everything = (org: Org) => SEARCHED.map((name) => ({ object: org.objectAt(name), fields: ['Id'] }))

/** `Lead(Id, Name WHERE IsConverted = false ORDER BY CreatedDate DESC LIMIT 10), Case`. */
function returned(org: Org, text: string): Wanted['objects'] {
  return [...text.matchAll(/(\w+)\s*(?:\(((?:'(?:\\.|[^'\\])*'|\([^()]*\)|[^()'])*)\))?/g)].map(([, name = '', inside = 'Id']) => {
    const begins = /\s(?:WHERE|ORDER\s+BY|LIMIT)\s/i.exec(inside)?.index ?? inside.length
    return { object: objectFor(org, name), fields: inside.slice(0, begins).split(','), clauses: inside.slice(begins) }
  })
}

const allOf = (found: ReturnType<typeof run>) => found.show(0, found.length) as { readonly Id: string }[]

function objectFor(org: Org, name: string): SObject {
  const object = org.schema.object(name)
  if (!object || object.virtual) throw new Refusal(400, 'INVALID_TYPE', `sObject type '${name}' is not supported.`)
  return object
}
