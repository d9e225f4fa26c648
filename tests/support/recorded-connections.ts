import type { Connection } from '../../src/platforms/stores/sqlite/connection.ts'

type Module = typeof import('../../src/platforms/stores/sqlite/connection.ts')

export interface RecordedConnection {
  readonly path: string
  readonly connection: Connection
  /** The statements so far. */
  readonly ran: { readonly sql: string; readonly bind: Parameters<Connection['all']>[1] }[]
  /** Called before each statement; may throw to make it fail. */
  before: (sql: string) => void
}

const all: RecordedConnection[] = []

/** The connections to a file, in the order they were opened: a store opens its writer first, then its reader. */
export const connectionsTo = (path: string): RecordedConnection[] => all.filter((recorded) => recorded.path === path)

/** Wraps the connection module so that connections record their statements. */
export function recordStatements(original: Module): Module {
  return {
    ...original,
    connect(driver, path, pragmas) {
      const connection = original.connect(driver, path, pragmas)
      const recorded: RecordedConnection = { path, connection, ran: [], before: () => {} }
      all.push(recorded)
      function record<A extends Connection['all'] | Connection['get'] | Connection['run']>(method: A): A {
        return ((sql: string, bind: RecordedConnection['ran'][number]['bind']) => {
          recorded.before(sql)
          recorded.ran.push({ sql, bind })
          return method(sql, bind)
        }) as A
      }
      return {
        ...connection,
        // A statement that takes long on a loaded machine would move to a thread, where it is not recorded.
        briefly: (_ms, work) => work(),
        exec(sql) {
          recorded.before(sql)
          recorded.ran.push({ sql, bind: [] })
          connection.exec(sql)
        },
        get: record(connection.get),
        all: record(connection.all),
        run: record(connection.run),
      }
    },
  }
}
