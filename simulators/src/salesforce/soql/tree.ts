/** A field, reached over relationships, or a function of one. */
export type Expression =
  | { readonly kind: 'field'; readonly path: readonly string[]; readonly at: number }
  | { readonly kind: 'call'; readonly name: string; readonly of: Expression | undefined; readonly at: number }

export type Literal =
  | { readonly kind: 'string'; readonly text: string; readonly pattern: string }
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'boolean'; readonly boolean: boolean }
  | { readonly kind: 'null' }
  | { readonly kind: 'date' | 'datetime'; readonly text: string }
  /** TODAY, LAST_N_DAYS:3 and the like. */
  | { readonly kind: 'range'; readonly name: string; readonly count: number }

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'like' | 'in' | 'not in' | 'includes' | 'excludes'

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | { readonly kind: 'compare'; readonly left: Expression; readonly operator: Operator; readonly values: readonly Literal[]; readonly at: number }
  | { readonly kind: 'within'; readonly left: Expression; readonly not: boolean; readonly query: Query; readonly at: number }

export type Item =
  | { readonly kind: 'expression'; readonly expression: Expression; readonly alias: string | undefined }
  | { readonly kind: 'all'; readonly which: 'ALL' | 'STANDARD' | 'CUSTOM'; readonly at: number }
  | { readonly kind: 'children'; readonly query: Query }
  | TypeOf

/** `TYPEOF Owner WHEN User THEN Username ELSE Name END`: fields by the object that a polymorphic reference points to. */
export interface TypeOf {
  readonly kind: 'typeof'
  readonly relationship: string
  readonly cases: readonly { readonly object: string; readonly fields: readonly Expression[] }[]
  readonly otherwise: readonly Expression[]
  readonly at: number
}

export interface Order {
  readonly expression: Expression
  readonly descending: boolean
  readonly nullsLast: boolean
}

export interface Query {
  readonly soql: string
  readonly items: readonly Item[]
  /** Whether it is `SELECT COUNT()`. */
  readonly counts: boolean
  readonly from: string
  readonly fromAt: number
  readonly alias: string | undefined
  readonly where: Condition | undefined
  readonly groupBy: readonly Expression[]
  /** Whether it is `GROUP BY ROLLUP (…)`, with subtotals. */
  readonly rollup: boolean
  readonly having: Condition | undefined
  readonly orderBy: readonly Order[]
  readonly limit: number | undefined
  readonly offset: number | undefined
}
