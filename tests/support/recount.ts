interface Counted {
  readonly OwnerID: string
  readonly CreatedDate: string
}

interface Deal extends Counted {
  readonly Stage: string
  readonly CloseDate: string
  readonly Amount: number | null
}

interface Stateful extends Counted {
  readonly Status: string | null
}

/** Money in ten-thousandths, so that the recount's own sums are exact. */
const scaled = (amount: number | null) => Math.round((amount ?? 0) * 10_000)
const sum = (rows: readonly { Amount: number | null }[]) => rows.reduce((total, { Amount }) => total + scaled(Amount), 0) / 10_000

function groups<R, K extends string | null>(rows: readonly R[], by: (row: R) => K): { name: K; rows: R[] }[] {
  const found = new Map<K, R[]>()
  for (const row of rows) found.set(by(row), [...(found.get(by(row)) ?? []), row])
  return [...found].map(([name, members]) => ({ name, rows: members })).sort((a, b) => b.rows.length - a.rows.length || byName(a.name, b.name))
}

/** Null lowest, then by code point. */
const byName = (a: string | null, b: string | null) => (a === null ? -1 : b === null ? 1 : Buffer.compare(Buffer.from(a), Buffer.from(b)))

/** The members common to all summaries, from records ordered newest first. */
const shared = <R extends Counted>(rows: readonly R[]) => ({
  Total: rows.length,
  ByMonth: groups(rows, ({ CreatedDate }) => CreatedDate.slice(0, 7))
    .map(({ name, rows: members }) => ({ Month: name, Count: members.length }))
    .sort((a, b) => byName(a.Month, b.Month)),
  FirstCreated: rows.at(-1)?.CreatedDate ?? null,
  LastCreated: rows[0]?.CreatedDate ?? null,
  Recent: rows.slice(0, 5),
})

export const leadsCounted = <R extends Stateful>(rows: readonly R[]) => ({
  ...shared(rows),
  ByStatus: groups(rows, ({ Status }) => Status).map(({ name, rows: members }) => ({ Status: name, Count: members.length })),
  ByOwner: groups(rows, ({ OwnerID }) => OwnerID).map(({ name, rows: members }) => ({ UserID: name, Count: members.length })),
})

export function casesCounted<R extends Stateful & { readonly CaseID: string }>(rows: readonly R[]) {
  const open = rows.filter(({ Status }) => Status !== 'Closed')
  const oldest = open.at(-1)
  return {
    ...leadsCounted(rows),
    Open: { Count: open.length },
    Closed: { Count: rows.length - open.length },
    OldestOpen: oldest ? { CaseID: oldest.CaseID, CreatedDate: oldest.CreatedDate } : null,
  }
}

export function dealsCounted<R extends Deal>(rows: readonly R[], today: string) {
  const soon = new Date(Date.parse(today) + 30 * 86_400_000).toISOString().slice(0, 10)
  const share = (members: readonly R[]) => ({ Count: members.length, Amount: sum(members) })
  const won = rows.filter(({ Stage }) => Stage === 'Closed Won')
  const lost = rows.filter(({ Stage }) => Stage === 'Closed Lost')
  const open = rows.filter((row) => !won.includes(row) && !lost.includes(row))
  const amounts = rows.filter(({ Amount }) => Amount !== null)
  return {
    ...shared(rows),
    ByStage: groups(rows, ({ Stage }) => Stage).map(({ name, rows: members }) => ({ Stage: name, ...share(members) })),
    ByOwner: groups(rows, ({ OwnerID }) => OwnerID).map(({ name, rows: members }) => ({ UserID: name, ...share(members) })),
    TotalAmount: sum(rows),
    AverageAmount: amounts.length === 0 ? null : expectAverage(amounts),
    Open: share(open),
    Won: share(won),
    Lost: share(lost),
    WinRate: won.length + lost.length === 0 ? null : won.length / (won.length + lost.length),
    Overdue: share(open.filter(({ CloseDate }) => CloseDate < today)),
    ClosingSoon: share(open.filter(({ CloseDate }) => CloseDate >= today && CloseDate <= soon)),
  }
}

/** Rounded to the nearest ten-thousandth, halves away from zero. */
function expectAverage(rows: readonly { Amount: number | null }[]): number {
  const total = rows.reduce((all, { Amount }) => all + scaled(Amount), 0)
  const rounded = Math.sign(total) * Math.round(Math.abs(total) / rows.length)
  return rounded / 10_000 + 0
}
