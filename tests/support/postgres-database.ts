import { randomUUID } from 'node:crypto'
import pg from 'pg'

/** Runs one query on a new connection. */
export async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  // A lost connection rejects the query and also emits an error.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

/** Creates a database on the server of a URL, and resolves to the URL of the database. */
export async function createDatabase(url: string, name = `crm_${randomUUID().replaceAll('-', '')}`): Promise<string> {
  await ask(url, `CREATE DATABASE ${pg.escapeIdentifier(name)}`)
  const own = new URL(url)
  own.pathname = `/${encodeURIComponent(name)}`
  return own.href
}

/** Drops it, closing open connections. */
export async function dropDatabase(url: string, database: string): Promise<void> {
  const name = decodeURIComponent(new URL(database).pathname.slice(1))
  await ask(url, `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`)
}
