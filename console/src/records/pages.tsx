import { Records } from './records.tsx'

interface Props {
  readonly path: readonly string[]
}

export const Leads = ({ path }: Props) => <Records recordType="Lead" path={path} />
export const Opportunities = ({ path }: Props) => <Records recordType="Opportunity" path={path} />
export const Companies = ({ path }: Props) => <Records recordType="Company" path={path} />
export const Contacts = ({ path }: Props) => <Records recordType="Contact" path={path} />
export const Cases = ({ path }: Props) => <Records recordType="Case" path={path} />
export const Campaigns = ({ path }: Props) => <Records recordType="Campaign" path={path} />
