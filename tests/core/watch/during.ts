import type { Simulator } from 'crm-simulators'

/** Does something before a request of a look is answered, counted from 0. Resolves to whether the look had so many. */
export async function during({ simulated }: Simulator, place: number, look: () => Promise<unknown>, work: () => Promise<unknown>): Promise<boolean> {
  const { answer } = simulated
  let requests = 0
  simulated.answer = async (request) => {
    if (requests++ === place) {
      simulated.answer = answer
      await work()
    }
    return answer.call(simulated, request)
  }
  await look()
  const isDone = simulated.answer === answer
  simulated.answer = answer
  return isDone
}
