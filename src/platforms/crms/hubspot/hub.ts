import { Connection, type ConnectionOptions } from '../engine/connection.ts'
import type { Paths } from './paths.ts'

/** The connection to an account of HubSpot. */
export class Hub extends Connection {
  readonly paths: Paths

  constructor(paths: Paths, options: ConnectionOptions) {
    super(options)
    this.paths = paths
  }
}
