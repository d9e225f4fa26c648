import { createConnection } from 'node:net'
import { examineConfig } from '../../config/settings.ts'
import type { Finding } from '../../transports/cli/app.ts'
import { configuredServer } from './configured.ts'
import { type DoctorInput, findingsIn } from './findings.ts'

const TIMEOUT_MS = 1_000

const { good, doubtful } = findingsIn('Port')

/** Whether crm serve could listen, or does already. */
export async function* examinePort(patient: DoctorInput): AsyncGenerator<Finding> {
  const { config, faults, givenSettings } = examineConfig(patient.flags, patient.environment)
  const isNamed = givenSettings.some(({ name }) => name === 'port' || name === 'host')
  if (config.port === 0 || faults.length > 0 || (configuredServer(patient) && !isNamed)) return
  const host = config.host === '0.0.0.0' ? '127.0.0.1' : config.host === '::' ? '::1' : config.host
  const place = `${host.includes(':') ? `[${host}]` : host}:${config.port}`
  if (!(await isTaken(host, config.port))) yield good(place, 'free for crm serve')
  else if (await isOurs(`http://${place}`)) yield good(place, 'a CRM Connector listens there')
  else yield doubtful(place, 'Another program listens there, so crm serve could not.', 'Choose another with --port or CRM_PORT; 0 takes any free one.')
}

function isTaken(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: TIMEOUT_MS })
    const end = (taken: boolean) => () => {
      socket.destroy()
      resolve(taken)
    }
    socket.on('connect', end(true)).on('error', end(false)).on('timeout', end(false))
  })
}

async function isOurs(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v1/operations`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return Array.isArray(((await response.json()) as { Operations?: unknown }).Operations)
  } catch {
    return false
  }
}
