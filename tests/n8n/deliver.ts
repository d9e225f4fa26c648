import { onTestFinished } from 'vitest'
import { startCourier } from '../../src/core/webhooks/courier.ts'
import type { TestServer } from '../support/server.ts'

/** Delivers to the webhooks of a server until the test ends. */
export function deliver(server: TestServer): void {
  const courier = startCourier(
    server.service,
    () => {},
    () => {},
  )
  onTestFinished(() => courier.stop())
}
