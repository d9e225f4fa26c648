import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../../src/contract/errors.ts'
import { overridden } from '../../../../src/platforms/crms/engine/overrides.ts'
import type { Tables } from '../../../../src/platforms/crms/engine/tables.ts'

const BASE: Tables = {
  Lead: {
    object: 'Lead',
    fields: {
      LeadID: { name: 'Id', kind: 'id', readOnly: true },
      FirstName: { name: 'FirstName', kind: 'text', max: 40 },
      LastName: { name: 'LastName', kind: 'text', max: 80 },
      Email: { name: 'Email', kind: 'email' },
      Phone: null,
      Status: { name: 'Status', kind: 'choice', values: { Open: 'Open - Not Contacted' } },
      OwnerID: { name: 'OwnerId', kind: 'id' },
      CreatedDate: { name: 'CreatedDate', kind: 'timestamp', readOnly: true },
      UpdatedDate: { name: 'LastModifiedDate', kind: 'timestamp', readOnly: true },
    },
    defaults: { Company: '[not provided]' },
  },
  Opportunity: { object: 'Opportunity', fields: { OpportunityName: { name: 'Name', kind: 'text' }, Amount: { name: 'Amount', kind: 'money', decimals: 2 } } },
}

function merged(said: unknown): { tables: Tables; faults: Fault[] } {
  const faults: Fault[] = []
  return { tables: overridden(BASE, said, faults, 'tables'), faults }
}

/** What is wrong with what is said of the fields of leads, by field. */
const faultsOf = (fields: Record<string, unknown>) =>
  merged({ Lead: { fields } }).faults.map(({ field, code, didYouMean }) => [
    field.replace('tables.Lead.fields.', ''),
    code,
    ...(didYouMean ? [didYouMean] : []),
  ])

describe('tables are overridden', () => {
  test('where nothing is said, they stay as they are', () => {
    expect(merged(undefined)).toEqual({ tables: BASE, faults: [] })
    expect(merged({})).toEqual({ tables: BASE, faults: [] })
    expect(merged({ Lead: {} }).tables).toEqual(BASE)
  })

  test('by another object, other names, and other places, each over what is there', () => {
    const { tables, faults } = merged({
      Lead: {
        object: 'Prospect__c',
        fields: {
          FirstName: 'First__c',
          LastName: { max: 60 },
          Email: null,
          Phone: 'Tel__c',
          Status: { values: { Open: 'Neu', Won: 'Gewonnen' }, closed: true },
        },
      },
    })
    expect(faults).toEqual([])
    expect(tables.Lead).toEqual({
      ...BASE.Lead,
      object: 'Prospect__c',
      fields: {
        ...BASE.Lead?.fields,
        FirstName: { name: 'First__c', kind: 'text', max: 40 },
        LastName: { name: 'LastName', kind: 'text', max: 60 },
        Email: null,
        Phone: { name: 'Tel__c', kind: 'phone' },
        Status: { name: 'Status', kind: 'choice', values: { Open: 'Neu', Won: 'Gewonnen' }, closed: true },
      },
    })
    expect(tables.Opportunity).toBe(BASE.Opportunity)
  })

  test('by fields that the contract does not have', () => {
    const Score = { name: 'Score__c', kind: 'integer', label: 'Score', required: true, defaultValue: 0 }
    const { tables, faults } = merged({ Lead: { fields: { Score } } })
    expect(faults).toEqual([])
    expect(tables.Lead?.fields.Score).toEqual(Score)
  })

  test('by defaults, of which null takes one away', () => {
    const defaults = (said: unknown) => merged({ Lead: { defaults: said } }).tables.Lead?.defaults
    expect(defaults({ Rating: 'Warm' })).toEqual({ Company: '[not provided]', Rating: 'Warm' })
    expect(defaults({ Company: null })).toEqual({})
    expect(merged({ Lead: { fixed: { RecordTypeId: '012' } } }).tables.Lead?.fixed).toEqual({ RecordTypeId: '012' })
  })
})

describe('what makes no sense is told, all of it at once', () => {
  test('with where it was said, and what was meant', () => {
    const { faults } = merged({
      Leed: {},
      Lead: { feilds: {}, object: ' ', defaults: { Company: ['x'] }, fields: { Fristname: 'x', Email: 7 } },
      Opportunity: 'deals',
    })
    expect(faults.map(({ field, code, didYouMean }) => [field, code, didYouMean])).toEqual([
      ['tables.Leed', 'unknown', 'Lead'],
      ['tables.Lead.feilds', 'unknown', 'fields'],
      ['tables.Lead.object', 'type', undefined],
      ['tables.Lead.fields.Fristname', 'unknown', 'FirstName'],
      ['tables.Lead.fields.Email', 'type', undefined],
      ['tables.Lead.defaults.Company', 'type', undefined],
      ['tables.Opportunity', 'type', undefined],
    ])
    expect(faults[0]?.expected).toBe('Lead, Opportunity')
  })

  test.each([
    [{ Frstname: 'Score__c' }, ['Frstname', 'unknown', 'FirstName']],
    [{ Frstname: null }, ['Frstname', 'unknown', 'FirstName']],
    [{ Score: { name: 'Score__c' } }, ['Score', 'missing']],
    [{ Score: { kind: 'number' } }, ['Score', 'missing']],
    [{ Score: { name: 'Score__c', kind: 'nummber' } }, ['Score.kind', 'value', 'number']],
    [{ Score: { name: 'Score__c', kind: 'json' } }, ['Score.kind', 'value']],
    [{ 'Lead Score': { name: 'Score__c', kind: 'number' } }, ['Lead Score', 'form']],
    ...['constructor', 'toString'].map((name) => [{ [name]: { name: 'X__c', kind: 'text' } }, [name, 'form']] as const),
    [{ __proto__x: { name: 'Score__c', kind: 'number' } }, ['__proto__x', 'form']],
    ...['Revision', 'revision', 'Notes', 'NotesTotal', 'CampaignsTotal', 'UpdatedFields', 'Deleted', 'IfRevision', 'DryRun', 'firstname'].map(
      (name) => [{ [name]: { name: 'X__c', kind: 'number' } }, [name, name === 'Revision' ? 'read_only' : 'conflict']] as const,
    ),
    [{ LeadID: null }, ['LeadID', 'required']],
    [{ OwnerID: null }, ['OwnerID', 'required']],
    [{ CreatedDate: null }, ['CreatedDate', 'required']],
    [{ FirstName: '' }, ['FirstName', 'type']],
    [{ FirstName: 'LastName' }, ['FirstName', 'conflict']],
    [{ Score: { name: 'lastname', kind: 'text' } }, ['Score', 'conflict']],
    [{ FirstName: { kind: 'date' } }, ['FirstName.kind', 'value']],
    [{ Status: { values: { Open: 'Neu', New: 'Neu' } } }, ['Status.values.New', 'conflict']],
    [{ Status: { values: { Open: 1 } } }, ['Status.values.Open', 'type']],
    [{ Status: { values: ['Open'] } }, ['Status.values', 'type']],
    [{ Status: { allowed: 'Open' } }, ['Status.allowed', 'type']],
    [{ Status: { closed: 'yes' } }, ['Status.closed', 'type']],
    [{ Status: { nmae: 'x' } }, ['Status.nmae', 'unknown', 'name']],
    [{ FirstName: { max: 0 } }, ['FirstName.max', 'value']],
    [{ FirstName: { max: 1.5 } }, ['FirstName.max', 'value']],
    [{ FirstName: { defaultValue: 5 } }, ['FirstName.defaultValue', 'type']],
    [{ Score: { name: 'Score__c', kind: 'number', defaultValue: 'many' } }, ['Score.defaultValue', 'type']],
    [{ Score: { name: 'Score__c', kind: 'number', required: true, readOnly: true } }, ['Score', 'conflict']],
  ] as const)('%j', (fields, fault) => {
    expect(faultsOf(fields)).toEqual([fault])
  })
})
