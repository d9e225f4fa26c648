import type { Simulator } from 'crm-simulators'

/** Has a simulated CRM refuse what is asked of a path, with a status. Returns a function that ends it. */
export function failing({ simulated }: Simulator, path: string, status: number): () => void {
  const { answer } = simulated
  simulated.answer = (request) =>
    request.path.startsWith(path) ? { status, headers: { 'content-type': 'application/json' }, body: '{}' } : answer.call(simulated, request)
  return () => {
    simulated.answer = answer
  }
}
