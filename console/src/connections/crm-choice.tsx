import { Icon } from '../parts/icon.tsx'
import { type ConnectableCrm, CRMS } from './crms.ts'
import './crm-choice.css'

/** The CRMs to connect, as buttons. */
export function CrmChoice({ onChoose }: { readonly onChoose: (crm: ConnectableCrm) => void }) {
  return (
    <ul className="crm-choice">
      {CRMS.map((crm) => (
        <li key={crm.platform}>
          <button type="button" onClick={() => onChoose(crm)}>
            <CrmMark crm={crm} />
            <span>
              <strong>{crm.label}</strong>
              <small>{crm.about}</small>
            </span>
            <Icon name="right" />
          </button>
        </li>
      ))}
    </ul>
  )
}

/** The initial of a CRM, as a decoration. */
export function CrmMark({ crm: { platform, label } }: { readonly crm: Pick<ConnectableCrm, 'platform' | 'label'> }) {
  return (
    <span className={`crm-mark crm-mark-${platform}`} aria-hidden="true">
      {label.slice(0, 1)}
    </span>
  )
}
