import { type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { asOf, fresh } from './operation.ts'

const count = Type.Integer({ minimum: 0 })
const amount = Type.Number()
const month = Type.Object({ Month: Type.String({ description: 'YYYY-MM, in UTC.' }), Count: count })
const moment = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })
const rate = Type.Unsafe<number | null>({ type: ['number', 'null'] })

export const summaryInput = <F extends TSchema>(filters: F) =>
  Type.Object(
    {
      UserID: Type.Optional(
        Type.Unsafe<string | null>({
          type: ['string', 'null'],
          minLength: 1,
          maxLength: 255,
          format: 'text',
          description: "Narrows the summary to this user's records.",
        }),
      ),
      Filters: Type.Optional(filters),
      ...fresh,
    },
    { additionalProperties: false },
  )

/** The members that all summaries share. */
const shared = <R extends TObject>(record: R) => ({
  ByMonth: Type.Array(month),
  FirstCreated: moment,
  LastCreated: moment,
  Recent: Type.Array(record, { description: 'The five newest records.' }),
  ...asOf,
})

const state = Type.Unsafe<string | null>({ type: ['string', 'null'] })
const byStatus = Type.Array(Type.Object({ Status: state, Count: count }), { description: 'The 100 largest.' })
const others = <P extends TProperties>(members: P, of: string) =>
  Type.Optional(Type.Object(members, { description: `The records of all other ${of}; left out where there are none.` }))
const byOwner = Type.Array(Type.Object({ UserID: Type.String(), Count: count }), { description: 'The 100 largest.' })

export const leadSummary = <R extends TObject>(record: R) =>
  Type.Object({ Total: count, ByStatus: byStatus, Others: others({ Count: count }, 'statuses'), ByOwner: byOwner, ...shared(record) })

export const caseSummary = <R extends TObject>(record: R) =>
  Type.Object({
    Total: count,
    ByStatus: byStatus,
    Others: others({ Count: count }, 'statuses'),
    ByOwner: byOwner,
    ...shared(record),
    Open: Type.Object({ Count: count }),
    Closed: Type.Object({ Count: count }),
    OldestOpen: Type.Unsafe<{ CaseID: string; CreatedDate: string } | null>({
      type: ['object', 'null'],
      properties: { CaseID: { type: 'string' }, CreatedDate: { type: 'string', format: 'date-time' } },
      required: ['CaseID', 'CreatedDate'],
    }),
  })

export const opportunitySummary = <R extends TObject>(record: R) => {
  const share = Type.Object({ Count: count, Amount: amount })
  return Type.Object({
    Total: count,
    ByStage: Type.Array(Type.Object({ Stage: state, Count: count, Amount: amount }), { description: 'The 100 largest.' }),
    Others: others({ Count: count, Amount: amount }, 'stages'),
    ByOwner: Type.Array(Type.Object({ UserID: Type.String(), Count: count, Amount: amount }), { description: 'The 100 largest.' }),
    ...shared(record),
    TotalAmount: amount,
    AverageAmount: rate,
    Open: share,
    Won: share,
    Lost: share,
    WinRate: rate,
    Overdue: Type.Object({ Count: count, Amount: amount }, { description: 'Open and past CloseDate.' }),
    ClosingSoon: Type.Object({ Count: count, Amount: amount }, { description: 'Open and closing within 30 days.' }),
  })
}
