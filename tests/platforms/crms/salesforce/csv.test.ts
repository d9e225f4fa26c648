import { describe, expect, test } from 'vitest'
import { csvRows } from '../../../../src/platforms/crms/salesforce/csv.ts'

describe('CSV of Salesforce', () => {
  test.each([
    [
      '"Id","Name"\n"1","A"\n',
      [
        ['Id', 'Name'],
        ['1', 'A'],
      ],
    ],
    [
      'Id,Name\n1,A\n2,',
      [
        ['Id', 'Name'],
        ['1', 'A'],
        ['2', ''],
      ],
    ],
    [
      '"Id","Name"\n"1",""\n"2",\n',
      [
        ['Id', 'Name'],
        ['1', ''],
        ['2', ''],
      ],
    ],
    ['"A ""b"", c\nd","""","x"\n', [['A "b", c\nd', '"', 'x']]],
    ['"Id"\n', [['Id']]],
    ['', []],
  ])('%j', (text, rows) => {
    expect(csvRows(text)).toEqual(rows)
  })
})
