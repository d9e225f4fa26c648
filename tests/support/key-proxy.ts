import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { TestServer } from './server.ts'

/** A proxy, for one test, that adds the key to every request, for clients that cannot send one. */
export async function withKey({ port, key }: TestServer): Promise<string> {
  const proxy = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${key}` }
    const passed = request({ host: '127.0.0.1', port, path: asked.url, method: asked.method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://localhost:${(proxy.address() as AddressInfo).port}`
}
