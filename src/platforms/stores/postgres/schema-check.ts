import { quoted } from '../sql/tables.ts'
import { type AskText, HERE, OURS } from './migrations.ts'

/** What acts on the tables of a store although no version of ours has made it: it could drop lines of the audit without an error. */
export async function schemaFaults(ask: AskText): Promise<{ readonly message: string; readonly hint: string }[]> {
  return (await ask(ACTING))
    .filter(([, , table]) => OURS.has(table as string))
    .map(([kind, name, table]) => {
      const on = `${quoted(name as string)} ON ${quoted(table as string)}`
      return {
        message: `The ${kind} ${quoted(name as string)} on ${quoted(table as string)} is not part of a CRM Connector store.`,
        hint: `Compare the audit with a backup, then remove it: DROP ${(kind as string).toUpperCase()} ${on}`,
      }
    })
}

const ACTING = [
  { kind: 'trigger', from: 'pg_trigger', name: 'tgname', table: 'tgrelid', where: ' AND NOT tgisinternal' },
  { kind: 'rule', from: 'pg_rewrite', name: 'rulename', table: 'ev_class', where: '' },
  { kind: 'policy', from: 'pg_policy', name: 'polname', table: 'polrelid', where: '' },
]
  .map(
    ({ kind, from, name, table, where }) =>
      `SELECT '${kind}', ${name}, relname FROM ${from} JOIN pg_class c ON c.oid = ${table} WHERE relkind = 'r' AND ${HERE}${where}`,
  )
  .join(' UNION ALL ')
