import type { Config } from '../config/settings.ts'

/** Where a service with this configuration is reached from this machine. */
export function serviceAddress({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
