import { describe, expect, test } from 'vitest'
import { nearestOperations } from '../../src/contract/nearest-operations.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'

const near = (typed: string) => nearestOperations(typed, OPERATIONS)

describe('an unknown name means the operations that do the same to the same record', () => {
  test.each([
    ['delete_case', ['case_delete']],
    ['deleteOpportunity', ['opportunity_delete']],
    ['destroy_deal', ['opportunity_delete']],
    ['get_lead', ['get_leads', 'get_many_leads', 'get_summary_of_leads']],
    ['leads.get', ['get_leads', 'get_many_leads', 'get_summary_of_leads']],
    ['list_leads', ['get_many_leads', 'get_leads', 'get_summary_of_leads']],
    ['find_companies', ['get_many_companies', 'get_company']],
    ['search_accounts', ['get_many_companies', 'get_company']],
    ['count_cases', ['case_get_summary', 'get_case', 'get_many_cases']],
    ['lead_create', ['create_a_lead', 'add_notes_to_leads', 'add_leads_to_campaign']],
    ['Create A Leda', ['create_a_lead', 'add_notes_to_leads', 'add_leads_to_campaign']],
    ['add_note', ['add_notes_to_leads', 'add_notes_to_opportunity', 'add_notes_to_company']],
    ['edit_contact', ['update_contact', 'upsert_contact']],
    ['save_contact', ['upsert_contact', 'update_contact']],
    ['undo', ['undo_change']],
    ['whoami', ['get_current_user']],
    ['leads', ['get_leads', 'get_many_leads', 'get_summary_of_leads']],
    ['createalead', ['create_a_lead']],
    ['wipe_lead', ['delete_lead']],
    ['reopen_case', ['update_case', 'upsert_case']],
    ['updaet_case', ['update_case', 'upsert_case']],
    ['del_case', ['case_delete']],
    ['upd_lead', ['update_lead', 'upsert_lead']],
    ['describe_lead', ['describe']],
    ['desc_case', ['describe']],
    ['get_case_comments', ['get_many_comments']],
    ['case_comments', ['get_many_comments']],
    ['get_lead_notes', ['get_many_notes']],
    ['add_case_comment', ['add_comment']],
    ['change_lead', ['update_lead', 'upsert_lead']],
    ['delete_all_leads', ['delete_lead']],
  ])('%s', (typed, expected) => expect(near(typed)).toEqual(expected))
})

test('nothing is guessed of a name that agrees with none', () => {
  for (const typed of [
    'foo',
    'nope',
    '',
    'get',
    'delete',
    'delete_foo',
    'change_status',
    'get_weather',
    '__proto__',
    'constructor',
    '\u001b[31m',
    'x'.repeat(100_000),
  ])
    expect(near(typed), typed).toEqual([])
})

test('a name is never answered with an operation of another effect', () => {
  const verbs = {
    read: ['get', 'list', 'find', 'show', 'read', 'count', 'export', 'selct', 'inspect', 'see', 'seek'],
    create: ['create', 'new', 'add'],
    update: ['update', 'edit', 'set'],
  }
  const records = ['lead', 'leads', 'case', 'cases', 'opportunity', 'campaign', 'custom_object', 'custom_field', 'record', 'key', 'note', 'webhook', 'plan']
  // Adding a lead to a campaign is an update only where it is in the campaign already.
  const effects = new Map<string, string>(OPERATIONS.map(({ id, effect, verb }) => [id, verb === 'link' ? 'create' : effect]))
  for (const [effect, words] of Object.entries(verbs))
    for (const verb of words)
      for (const record of records)
        for (const typed of [`${verb}_${record}`, `${record}_${verb}`, `${verb} all ${record}`])
          for (const id of near(typed)) expect([typed, id, effects.get(id)]).toEqual([typed, id, effect])
  for (const typed of [...records, 'deletelead', 'removecase']) for (const id of near(typed)) expect([typed, effects.get(id)]).not.toEqual([typed, 'delete'])
})

test.each(['undelete_case', 'undelete_lead', 'recover_lead', 'restore_lead', 'undo_delete_lead'])('%s is undone by undo_change', (name) => {
  expect(nearestOperations(name, OPERATIONS)).toEqual(['undo_change'])
})

test.each(['merge_leads', 'deleted_leads', 'preview_delete_lead', 'can_delete_lead', 'check_delete_case', 'nodelete_lead', 'delete_campaign'])(
  '%s is answered with nothing that deletes',
  (name) => {
    const deleting = OPERATIONS.filter(({ effect }) => effect === 'delete').map(({ id }) => id)
    expect(nearestOperations(name, OPERATIONS).filter((id) => deleting.includes(id))).toEqual([])
  },
)

test('of the operations on a record, those with the verb are meant', () => {
  expect(nearestOperations('assign_lead', OPERATIONS)).toEqual(['update_lead', 'upsert_lead'])
  expect(nearestOperations('remove_lead', OPERATIONS)).toEqual(['delete_lead', 'remove_leads_from_campaign'])
  expect(nearestOperations('delte_lead', OPERATIONS)).toEqual(['delete_lead'])
})
