import { type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { asOf, fresh } from './operation.ts'

const count = Type.Integer({ minimum: 0 })
const amount = Type.Number()
const month = Type.Object({ Month: Type.String({ description: 'YYYY-MM, in UTC.' }), Count: count })
const moment = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })
const rate = Type.Unsafe<number | null>({ type: ['number', 'null'] })

export const summaryInput = <F extends TSchema, M extends TProperties = Record<never, never>>(filters: F, more: M = {} as M) =>
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
      ...more,
      ...fresh,
    },
    { additionalProperties: false },
  )

/** The input of a summary of opportunities by which it has a forecast. */
export const forecastInput = {
  Forecast: Type.Optional(Type.Boolean({ description: 'To add Forecast: what is open, weighted and won by month of CloseDate.' })),
}

/** The input of a summary of cases by which it has the ages of those that are open. */
export const agesInput = {
  Ages: Type.Optional(Type.Boolean({ description: 'To add OpenByAge: the open cases of up to 1, 7, 30 and 90 days, and the older ones.' })),
}

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
    OpenByAge: Type.Optional(
      Type.Array(Type.Object({ From: moment, To: moment, Count: count }), {
        description: 'The open cases by when they were created, the newest first: not before From, and before To.',
      }),
    ),
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
    Forecast: Type.Optional(
      Type.Array(Type.Object({ Month: month.properties.Month, Open: share, Weighted: amount, Won: share }), {
        description:
          'By month of CloseDate, from five months ago to six months ahead. Weighted is what is open times Probability, or times WinRate where an opportunity has none.',
      }),
    ),
  })
}
