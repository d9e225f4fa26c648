import type { ServerResponse } from 'node:http'
import type { Caller } from '../../core/service.ts'
import type { Context } from './context.ts'
import { asCrmError } from './refusal.ts'

/** Counts what a route does among the calls, by its outcome. */
export async function counted<T>({ metrics }: Context, name: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now()
  let code = 'ok'
  try {
    return await work()
  } catch (error) {
    code = asCrmError(error).code
    throw error
  } finally {
    metrics.count(name, code, (performance.now() - started) / 1000)
  }
}

/** Counts calls against the limit of the key, says so in the answer whatever it will be, and refuses once the limit is used up. */
export async function admitted({ admit }: Context, raw: ServerResponse, caller: Caller, calls?: number): Promise<void> {
  const { lines = [], refusal } = (await admit(caller, calls)) ?? {}
  for (let i = 0; i < lines.length; i += 2) raw.setHeader(lines[i] as string, lines[i + 1] as string)
  if (refusal) throw refusal
}
