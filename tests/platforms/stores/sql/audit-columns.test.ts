import { expect, test } from 'vitest'
import { Change } from '../../../../src/contract/records/change.ts'
import { ALWAYS_SEALED, AUDIT_COLUMNS, LINE_MEMBERS, SEALED } from '../../../../src/platforms/stores/sql/audit-columns.ts'
import { earlierLinkAfter, linkAfter, linkAfterCells, START, type Unsealed } from '../../../../src/platforms/stores/sql/chain.ts'
import { rowOf } from '../../../../src/platforms/stores/sql/lines.ts'

const LINE: Unsealed = {
  changeId: '1m7ej4vpa01zzq1pvpf4',
  at: '2026-01-02T03:04:05.006Z',
  userId: 'u',
  keyId: null,
  transport: 'http',
  operation: 'create_a_lead',
  recordType: 'Lead',
  recordId: 'l',
  requestId: 'r',
  outcome: 'ok',
  eventType: 'lead.created',
  idempotencyKey: null,
  beforeDigest: null,
  afterDigest: 'd',
}

test('every column of the audit is sealed, or named as one that is not', () => {
  expect(Object.keys(AUDIT_COLUMNS).sort()).toEqual(Object.keys(Change.fields).sort())
})

test('each sealed column changes the seal', () => {
  const { seal } = linkAfter(START, LINE, 1)
  for (const member of SEALED) expect(linkAfter(START, { ...LINE, [member]: 'altered' }, 1).seal, member).not.toBe(seal)
  expect(linkAfter(START, LINE, 2).seal).not.toBe(seal)
})

test('a seal is the one that earlier versions made', () => {
  expect(SEALED.slice(0, ALWAYS_SEALED)).toEqual(Object.keys(LINE))
  expect(earlierLinkAfter(START, LINE)).toEqual({ number: 1, seal: 'V87SURZrUeu9hhbBba4n8QH9i7ciQ8paNq1MF8eHMoE' })
  expect(linkAfter(START, LINE, 1)).toEqual({ number: 1, seal: 'XndAQejOiBbJyuCa2aEN7pp9y9K1ucADrc2UDwsRMUQ' })
})

test('the cells of a line are sealed as the line is', () => {
  for (const count of [undefined, 3]) {
    const line = { ...LINE, afterDigest: null, ...(count && { count }) }
    const cells = rowOf({ id: LINE.changeId, at: LINE.at }, { ...line, before: null, after: null, owner: 'o', moved: false })
    expect(linkAfterCells(START, cells, 1)).toEqual(linkAfter(START, line, 1))
  }
})

test('a stored line has a cell for each of its columns', () => {
  const line = { ...LINE, before: null, after: '{"a":1}', owner: 'o', moved: false }
  const cells = rowOf({ id: 'c', at: 'a' }, line)
  const stored = Object.fromEntries(LINE_MEMBERS.map((member, i) => [member, cells[i]]))
  expect(stored).toMatchObject({ changeId: 'c', at: 'a', userId: 'u', recordId: 'l', after: '{"a":1}', ownerId: 'o', outcome: 'ok' })
  expect(stored.salt).not.toBeNull()
  expect(stored.afterDigest).not.toBeNull()
})
