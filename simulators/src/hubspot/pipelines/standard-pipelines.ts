export interface Stage {
  readonly id: string
  readonly label: string
  readonly displayOrder: number
  /** All values are texts, booleans too. */
  readonly metadata: { readonly [name: string]: string }
  readonly createdAt: number
}

export interface Pipeline {
  readonly id: string
  readonly label: string
  readonly displayOrder: number
  readonly stages: Stage[]
  readonly createdAt: number
}

type Row = readonly [id: string, label: string, metadata: { readonly [name: string]: string }]

const dealStage = (id: string, label: string, probability: string): Row => {
  return [id, label, { isClosed: String(probability === '0.0' || probability === '1.0'), probability }]
}
const ticketStage = (id: string, label: string, ticketState: 'OPEN' | 'CLOSED'): Row => [id, label, { ticketState, isClosed: String(ticketState === 'CLOSED') }]
const leadStage = (id: string, label: string, leadState: string): Row => [id, label, { isClosed: String(leadState.endsWith('QUALIFIED')), leadState }]

/** The pipelines of a new account, by object type id. */
const PIPELINES: { readonly [objectTypeId: string]: { readonly id: string; readonly label: string; readonly stages: readonly Row[] } } = {
  '0-3': {
    id: 'default',
    label: 'Sales Pipeline',
    stages: [
      dealStage('appointmentscheduled', 'Appointment Scheduled', '0.2'),
      dealStage('qualifiedtobuy', 'Qualified To Buy', '0.4'),
      dealStage('presentationscheduled', 'Presentation Scheduled', '0.6'),
      dealStage('decisionmakerboughtin', 'Decision Maker Bought-In', '0.8'),
      dealStage('contractsent', 'Contract Sent', '0.9'),
      dealStage('closedwon', 'Closed Won', '1.0'),
      dealStage('closedlost', 'Closed Lost', '0.0'),
    ],
  },
  '0-5': {
    id: '0',
    label: 'Support Pipeline',
    stages: [
      ticketStage('1', 'New', 'OPEN'),
      ticketStage('2', 'Waiting on contact', 'OPEN'),
      ticketStage('3', 'Waiting on us', 'OPEN'),
      ticketStage('4', 'Closed', 'CLOSED'),
    ],
  },
  '0-136': {
    id: 'lead-pipeline-id',
    label: 'Lead pipeline',
    stages: [
      leadStage('new-stage-id', 'New', 'NEW'),
      leadStage('attempting-stage-id', 'Attempting', 'IN_PROGRESS'),
      leadStage('connected-stage-id', 'Connected', 'IN_PROGRESS'),
      leadStage('qualified-stage-id', 'Qualified', 'QUALIFIED'),
      leadStage('unqualified-stage-id', 'Disqualified', 'UNQUALIFIED'),
    ],
  },
}

/** The initial pipelines of an object type; undefined if it has none. */
export function standardPipelines(objectTypeId: string, createdAt: number): Pipeline[] | undefined {
  const standard = PIPELINES[objectTypeId]
  if (!standard) return undefined
  const stages = standard.stages.map(([id, label, metadata], displayOrder) => ({ id, label, displayOrder, metadata, createdAt }))
  return [{ id: standard.id, label: standard.label, displayOrder: 0, stages, createdAt }]
}
