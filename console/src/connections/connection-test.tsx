import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Card } from '../parts/page.tsx'
import { Nothing, RefusalLine } from '../parts/states.tsx'
import { useSession } from '../session/session.ts'
import type { Findings } from './connection-record.ts'
import './connection-test.css'

type Outcome = { readonly findings: Findings; readonly good: boolean } | { readonly error: unknown }

/** Examines the account as `crm doctor` does. */
export function ConnectionTest({ id }: { readonly id: string }) {
  const { crm } = useSession()
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()

  async function test() {
    setBusy(true)
    try {
      const { Findings, Good } = await crm.connections.test({ ConnectionID: id })
      setOutcome({ findings: Findings, good: Good })
    } catch (error) {
      setOutcome({ error })
    }
    setBusy(false)
  }

  return (
    <Card
      title="Test"
      acts={
        <Button icon="play" small busy={busy} onClick={() => void test()}>
          Test connection
        </Button>
      }
    >
      <div role="status">
        {outcome === undefined ? (
          <Nothing>Signs in and checks the permissions of the account. Nothing is written to it.</Nothing>
        ) : 'error' in outcome ? (
          <RefusalLine error={outcome.error} />
        ) : (
          <>
            <p className={`connection-none ${outcome.good ? 'finding-good' : 'finding-bad'}`}>
              <strong>{outcome.good ? 'Everything works.' : 'Something has to be corrected.'}</strong>
            </p>
            <ul className="findings">
              {outcome.findings.map((finding) => (
                <FindingLine key={`${finding.Name} ${finding.Text}`} finding={finding} />
              ))}
            </ul>
          </>
        )}
      </div>
    </Card>
  )
}

const MARKS = {
  good: { icon: 'check', word: 'Good' },
  bad: { icon: 'warning', word: 'Bad' },
  unchecked: { icon: 'more', word: 'Not checked' },
} as const

function FindingLine({ finding: { Name, Good, Checked, Text, Advice } }: { readonly finding: Findings[number] }) {
  const tone = Checked ? (Good ? 'good' : 'bad') : 'unchecked'
  const { icon, word } = MARKS[tone]
  return (
    <li className={`finding-${tone}`}>
      <span title={word}>
        <Icon name={icon} />
        <span className="seen-by-readers">{word}</span>
      </span>
      <strong>{Name}</strong>
      <div>
        {Text}
        {Advice && <small>{Advice}</small>}
      </div>
    </li>
  )
}
