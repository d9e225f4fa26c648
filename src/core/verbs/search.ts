import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { recordType } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { SEARCHED_TYPES } from '../../contract/search.ts'
import { hasWords, phoneDigits, scoreOf, searchedWords, searchTextFrom, searchTextIn, textsIn, wordsOf } from '../../contract/search-text.ts'
import type { Reader, SearchHit, SearchMatch, SearchQuery, StoredRecord } from '../../platforms/platform.ts'
import { mayRead, seesRecord } from '../access/access.ts'
import { digestOf } from '../access/keys.ts'
import { invalidCursor } from '../call/cursors.ts'
import { typeOn } from '../call/extension.ts'
import { idOf, shown } from '../call/records.ts'
import type { Context } from '../call/types.ts'
import { sourceOf } from '../watch/source.ts'

/** A match, with its record where the platform has read it. */
type Ranked = SearchMatch & { readonly record?: StoredRecord }

/** Records of several types that have all words of a text, the best match first. */
export async function search(context: Context): Promise<unknown> {
  const { caller, binding, operation, input } = context
  const {
    Text: text,
    RecordTypes: types = SEARCHED_TYPES,
    Limit: limit = LIMITS.defaultSearched,
    Cursor: cursor,
  } = input as {
    readonly Text: string
    readonly RecordTypes?: readonly string[]
    readonly Limit?: number
    readonly Cursor?: string
  }
  const readable = types.filter((type) => mayRead(caller, recordType(type)))
  const digest = digestOf(JSON.stringify([caller.workspace.number, text, types])).slice(0, 12)
  const after = cursor === undefined ? undefined : positionIn(cursor, digest)
  const { platform } = binding
  const [words = []] = searchedWords(text)
  const source = await sourceOf(context)
  const reader = source.reader(operation.record)
  const query = { text, types: readable, ...(caller.sees && { owners: [...caller.sees] }), limit: LIMITS.searched }
  const found = readable.length > 0 && words.length > 0 ? await matchesOf(reader, query, words) : []
  const ranked = [...found].sort(better).filter((one) => !after || better(one, after) > 0)
  const page: { readonly type: RecordType; readonly record: StoredRecord }[] = []
  let taken = 0
  // A record that was deleted, given to another owner, or has the words in fields that are not searched is left out, and the next one takes its place.
  while (page.length < limit && taken < ranked.length) {
    const next = ranked.slice(taken, taken + limit - page.length)
    taken += next.length
    page.push(
      ...(await recordsOf(reader, next))
        .map(({ type, record }) => ({ type: typeOn(platform, recordType(type)), record }))
        .filter(({ type, record }) => seesRecord(caller, type, record) && (!reader.matches || isFound(type, record, text))),
    )
  }
  const last = taken < ranked.length ? ranked[taken - 1] : undefined
  return {
    Records: page.map(({ type, record }) => ({ RecordType: type.name, Record: shown(type, record), Matched: matchedIn(type, record, words) })),
    NextCursor: last ? Buffer.from(JSON.stringify([digest, last.score, last.id])).toString('base64url') : null,
    ...source.dated,
  }
}

async function matchesOf(reader: Reader, query: SearchQuery, words: readonly string[]): Promise<readonly Ranked[]> {
  if (reader.matches) return reader.matches(query)
  return (await reader.search(query)).map(({ type, record }) => ({
    type,
    record,
    id: idOf(recordType(type), record),
    score: scoreOf(words, searchTextIn(type, record)),
  }))
}

/** The records behind matches, in their order, without those that are gone. */
async function recordsOf(reader: Reader, matches: readonly Ranked[]): Promise<SearchHit[]> {
  const records = new Map<string, StoredRecord>()
  for (const type of new Set(matches.map((match) => match.type))) {
    const ids = matches.flatMap((match) => (match.type === type && !match.record ? [match.id] : []))
    for (const record of ids.length > 0 ? await reader.getAll(type, ids) : []) records.set(idOf(recordType(type), record), record)
  }
  return matches.flatMap(({ type, id, record = records.get(id) }) => (record ? [{ type, record }] : []))
}

/** Whether the words are in fields that a search covers. An index also has the values of retired fields and of those that are no texts. */
const isFound = (type: RecordType, record: StoredRecord, text: string) => hasWords(searchTextFrom(textsIn(type, record)).words, searchedWords(text))

/** By score; newer records before older ones, whose ids are lower. */
const better = (a: Pick<Ranked, 'score' | 'id'>, b: Pick<Ranked, 'score' | 'id'>) => b.score - a.score || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)

/** The fields of a record in which the words are. */
function matchedIn(type: RecordType, record: StoredRecord, words: readonly string[]): string[] {
  const values = textsIn(type, record).map(({ name, kind, text }) => ({ name, own: [...wordsOf(text), ...(kind === 'phone' ? phoneDigits(text) : [])] }))
  const matched = values.filter(({ own }) => words.some((word) => own.some((one) => one.includes(word))))
  // What was found by its digits alone matches a phone number in another spelling.
  const named = matched.length > 0 ? matched : values.filter(({ own }) => own.some((one) => /^\d{5,}$/.test(one) && words.join('').includes(one.slice(-6))))
  return named.map(({ name }) => name)
}

function positionIn(cursor: string, digest: string): Pick<Ranked, 'score' | 'id'> {
  try {
    const [search, score, id]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (search === digest && typeof score === 'number' && typeof id === 'string') return { score, id }
  } catch {
    // Refused below.
  }
  const fault = invalidCursor()
  throw new CrmError('invalid_input', `Search: ${fault.message}`, { errors: [fault] })
}
