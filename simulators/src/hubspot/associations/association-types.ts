export type Category = 'HUBSPOT_DEFINED' | 'USER_DEFINED'

/** An association type between two object types. Each has an inverse. */
export interface AssociationType {
  readonly typeId: number
  readonly category: Category
  readonly from: string
  readonly to: string
  readonly name: string
  readonly label: string | null
  readonly inverse: number
  /** Whether it is the default between its object types. */
  readonly standard: boolean
}

const CONTACT = '0-1'
const COMPANY = '0-2'
const DEAL = '0-3'
const TICKET = '0-5'
const NOTE = '0-46'
const LEAD = '0-136'
const TASK = '0-27'
const CALL = '0-48'
const EMAIL = '0-49'
const MEETING = '0-47'

type Row = readonly [from: string, to: string, typeId: number, inverse: number, name: string, inverseName: string, label?: string]

/** The association types of every account. Note to lead (855) and lead to company (610) have not been verified on a live one. */
const ROWS: readonly Row[] = [
  [CONTACT, CONTACT, 449, 449, 'contact_to_contact', 'contact_to_contact'],
  [COMPANY, COMPANY, 450, 450, 'company_to_company', 'company_to_company'],
  [DEAL, DEAL, 451, 451, 'deal_to_deal', 'deal_to_deal'],
  [TICKET, TICKET, 452, 452, 'ticket_to_ticket', 'ticket_to_ticket'],
  [CONTACT, COMPANY, 279, 280, 'contact_to_company_unlabeled', 'company_to_contact_unlabeled'],
  [CONTACT, COMPANY, 1, 2, 'contact_to_company', 'company_to_contact', 'Primary'],
  [DEAL, CONTACT, 3, 4, 'deal_to_contact', 'contact_to_deal'],
  [DEAL, COMPANY, 341, 342, 'deal_to_company_unlabeled', 'company_to_deal_unlabeled'],
  [DEAL, COMPANY, 5, 6, 'deal_to_company', 'company_to_deal', 'Primary'],
  [CONTACT, TICKET, 15, 16, 'contact_to_ticket', 'ticket_to_contact'],
  [TICKET, COMPANY, 339, 340, 'ticket_to_company_unlabeled', 'company_to_ticket_unlabeled'],
  [TICKET, COMPANY, 26, 25, 'ticket_to_company', 'company_to_ticket', 'Primary'],
  [DEAL, TICKET, 27, 28, 'deal_to_ticket', 'ticket_to_deal'],
  [NOTE, CONTACT, 202, 201, 'note_to_contact', 'contact_to_note'],
  [NOTE, COMPANY, 190, 189, 'note_to_company', 'company_to_note'],
  [NOTE, DEAL, 214, 213, 'note_to_deal', 'deal_to_note'],
  [NOTE, TICKET, 228, 227, 'note_to_ticket', 'ticket_to_note'],
  [NOTE, LEAD, 855, 854, 'note_to_lead', 'lead_to_note'],
  [LEAD, CONTACT, 608, 609, 'lead_to_contact', 'contact_to_lead'],
  [LEAD, CONTACT, 578, 579, 'lead_to_primary_contact', 'primary_contact_to_lead', 'Primary'],
  [LEAD, COMPANY, 610, 611, 'lead_to_company', 'company_to_lead'],
  [TASK, CONTACT, 204, 203, 'task_to_contact', 'contact_to_task'],
  [TASK, COMPANY, 192, 191, 'task_to_company', 'company_to_task'],
  [TASK, DEAL, 216, 215, 'task_to_deal', 'deal_to_task'],
  [TASK, TICKET, 230, 229, 'task_to_ticket', 'ticket_to_task'],
  [CALL, CONTACT, 194, 193, 'call_to_contact', 'contact_to_call'],
  [CALL, COMPANY, 182, 181, 'call_to_company', 'company_to_call'],
  [CALL, DEAL, 206, 205, 'call_to_deal', 'deal_to_call'],
  [CALL, TICKET, 220, 219, 'call_to_ticket', 'ticket_to_call'],
  [EMAIL, CONTACT, 198, 197, 'email_to_contact', 'contact_to_email'],
  [EMAIL, COMPANY, 186, 185, 'email_to_company', 'company_to_email'],
  [EMAIL, DEAL, 210, 209, 'email_to_deal', 'deal_to_email'],
  [EMAIL, TICKET, 224, 223, 'email_to_ticket', 'ticket_to_email'],
  [MEETING, CONTACT, 200, 199, 'meeting_event_to_contact', 'contact_to_meeting_event'],
  [MEETING, COMPANY, 188, 187, 'meeting_event_to_company', 'company_to_meeting_event'],
  [MEETING, DEAL, 212, 211, 'meeting_event_to_deal', 'deal_to_meeting_event'],
  [MEETING, TICKET, 226, 225, 'meeting_event_to_ticket', 'ticket_to_meeting_event'],
  ['0-8', DEAL, 20, 19, 'line_item_to_deal', 'deal_to_line_item'],
]

export const LEAD_TO_PRIMARY_CONTACT = 578

export class AssociationTypes {
  private readonly byPair = new Map<string, AssociationType[]>()
  private readonly byId = new Map<string, AssociationType[]>()
  private made = 0

  constructor() {
    for (const row of ROWS) this.addRow('HUBSPOT_DEFINED', row)
  }

  /** Those from one object type to another. */
  between(from: string, to: string): readonly AssociationType[] {
    return this.byPair.get(`${from} ${to}`) ?? []
  }

  standard(from: string, to: string): AssociationType | undefined {
    return this.between(from, to).find(({ standard }) => standard)
  }

  /** By id; `from` decides between the two directions of a type that is its own inverse. */
  named(category: unknown, typeId: unknown, from?: string): AssociationType | undefined {
    const types = this.byId.get(`${category} ${typeId}`)
    return types?.find((type) => type.from === from) ?? types?.[0]
  }

  inverseOf({ category, inverse, to }: AssociationType): AssociationType {
    return this.named(category, inverse, to) as AssociationType
  }

  /** Defines an association type of the account. */
  add(from: string, to: string, name: string, inverseName: string): AssociationType {
    const typeId = 2 * this.made++ + 1
    this.addRow('USER_DEFINED', [from, to, typeId, from === to ? typeId : typeId + 1, name, inverseName])
    return this.named('USER_DEFINED', typeId, from) as AssociationType
  }

  private addRow(category: Category, [from, to, typeId, inverse, name, inverseName, givenLabel]: Row): void {
    const label = givenLabel ?? null
    this.addOne({ typeId, category, from, to, name, label, inverse, standard: label === null })
    if (typeId !== inverse) this.addOne({ typeId: inverse, category, from: to, to: from, name: inverseName, label, inverse: typeId, standard: label === null })
  }

  private addOne(type: AssociationType): void {
    const pair = `${type.from} ${type.to}`
    this.byPair.set(pair, [...(this.byPair.get(pair) ?? []), type])
    const id = `${type.category} ${type.typeId}`
    this.byId.set(id, [...(this.byId.get(id) ?? []), type])
  }
}
