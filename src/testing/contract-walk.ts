import assert from 'node:assert/strict'
import { OPERATIONS } from '../contract/operations.ts'
import { behaviour, theme } from './behaviour.ts'
import { proofOf } from './walk-proofs.ts'
import { propertiesOf } from './walk-samples.ts'
import { needsOf } from './writes.ts'

/** No input is accepted, answered with success and then ignored: each has a proof, and one without fails here. */
export const contractWalk = theme('the walk of the contract', [
  ...OPERATIONS.flatMap((operation) =>
    propertiesOf(operation.input).map((input) =>
      behaviour(
        `${operation.name} carries out ${input}`,
        async (context) => {
          const proof = proofOf(operation, input)
          assert.ok(proof, `There is no proof that ${operation.name} carries out ${input}: add one to walk-proofs.ts.`)
          await proof(context, operation)
        },
        needsOf(operation),
      ),
    ),
  ),
])
