import type { Connection } from '../../src/platforms/stores/sqlite/connection.ts'

type Module = typeof import('../../src/platforms/stores/sqlite/connection.ts')

export interface Watched {
  readonly path: string
  readonly connection: Connection
  /** What ran on it so far. */
  readonly ran: { readonly sql: string; readonly bind: Parameters<Connection['all']>[1] }[]
  /** Called before each statement; may throw in its place. */
  before: (sql: string) => void
}

const all: Watched[] = []

/** The connections to a file, in the order they were opened: of a store first the one that writes, then the one that reads. */
export const connectionsTo = (path: string): Watched[] => all.filter((watched) => watched.path === path)

/** The module with connections that can be watched. Nothing else about them changes. */
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
