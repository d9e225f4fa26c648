import type { Connection } from '../../src/platforms/stores/sqlite/connection.ts'

type Module = typeof import('../../src/platforms/stores/sqlite/connection.ts')

export interface Watched {
  readonly path: string
  readonly connection: Connection
  /** The statements so far. */
  readonly ran: { readonly sql: string; readonly bind: Parameters<Connection['all']>[1] }[]
  /** Called before each statement; may throw to make it fail. */
  before: (sql: string) => void
}

const all: Watched[] = []

/** The connections to a file, in the order they were opened: a store opens its writer first, then its reader. */
export const connectionsTo = (path: string): Watched[] => all.filter((watched) => watched.path === path)

/** Wraps the connection module so that connections record their statements. */
export function watching(original: Module): Module {
  return {
    ...original,
    connect(driver, path, pragmas) {
      const connection = original.connect(driver, path, pragmas)
      const watched: Watched = { path, connection, ran: [], before: () => {} }
      all.push(watched)
      function watch<A extends Connection['all'] | Connection['get'] | Connection['run']>(method: A): A {
        return ((sql: string, bind: Watched['ran'][number]['bind']) => {
          watched.before(sql)
          watched.ran.push({ sql, bind })
          return method(sql, bind)
        }) as A
      }
      return {
        ...connection,
        exec(sql) {
          watched.before(sql)
          watched.ran.push({ sql, bind: [] })
          connection.exec(sql)
        },
        get: watch(connection.get),
        all: watch(connection.all),
        run: watch(connection.run),
      }
    },
  }
}
