import type { Simulator } from 'crm-simulators'

/** Does something before a request of a poll is answered, counted from 0. Resolves to whether the poll had so many. */
export async function during({ simulated }: Simulator, place: number, poll: () => Promise<unknown>, work: () => Promise<unknown>): Promise<boolean> {
  const { answer } = simulated
  let requests = 0
  simulated.answer = async (request) => {
    if (requests++ === place) {
      simulated.answer = answer
      await work()
    }
    return answer.call(simulated, request)
  }
  await poll()
  const isDone = simulated.answer === answer
  simulated.answer = answer
  return isDone
}
