import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Store } from '../../src/platforms/store.ts'
import { openPostgres } from '../../src/platforms/stores/postgres/postgres.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { temporaryFolder } from './folder.ts'
import { temporaryDatabase } from './postgres.ts'

/** A new store whose bytes can be searched. */
export interface Place {
  /** As a setting names it. */
  readonly url: string
  open(): Promise<Store>
  /** Whether a text is anywhere in what is stored. */
  has(text: string): Promise<boolean>
}

export const PLACES: { readonly [name: string]: () => Promise<Place> } = {
  async sqlite() {
    const path = join(await temporaryFolder(), 'crm.db')
    const bytes = (side: string) => {
      try {
        return readFileSync(path + side).toString('latin1')
      } catch {
        return ''
      }
    }
    return { url: `sqlite:${path}`, open: () => openSqlite(path), has: async (text) => ['', '-wal'].some((side) => bytes(side).includes(text)) }
  },
  async postgres() {
    const { url, drop } = await temporaryDatabase()
    onTestFinished(drop)
    const { default: pg } = await import('pg')
    const has = async (text: string) => {
      const client = new pg.Client(url)
      await client.connect()
      try {
        const { rows } = await client.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
        for (const { tablename } of rows)
          if ((await client.query(`SELECT 1 FROM "${tablename}" t WHERE t::text LIKE $1 LIMIT 1`, [`%${text}%`])).rowCount) return true
        return false
      } finally {
        await client.end()
      }
    }
    return { url, open: () => openPostgres(url), has }
  },
}
