import { TIERS } from 'crm-connector/contract'
import { Button } from '../parts/button.tsx'
import { tidy } from './scopes.ts'

interface Preset {
  readonly label: string
  readonly scopes: readonly string[]
  /** Whether deletions with the key wait for approval. */
  readonly confirm: boolean
}

const PRESETS: readonly Preset[] = [
  { label: 'Read leads', scopes: ['read:Lead'], confirm: false },
  { label: 'Import', scopes: ['read', 'write'], confirm: false },
  { label: 'Agent', scopes: ['read', 'write', 'delete'], confirm: true },
  { label: 'Everything', scopes: TIERS, confirm: false },
]

interface Props {
  readonly scopes: readonly string[]
  readonly allowed: (scope: string) => boolean
  readonly onChoose: (preset: Preset) => void
}

/** What keys are usually for. Of a preset only what is allowed is chosen. */
export function ScopePresets({ scopes, allowed, onChoose }: Props) {
  const chosen = tidy(scopes).join()
  return (
    // biome-ignore lint/a11y/useSemanticElements: the presets are inside the fieldset of the scopes.
    <div role="group" aria-label="Presets" className="scopes-presets">
      {PRESETS.map((preset) => {
        const within = preset.scopes.filter(allowed)
        return (
          <Button
            key={preset.label}
            small
            aria-pressed={within.length > 0 && tidy(within).join() === chosen}
            disabled={within.length === 0}
            onClick={() => onChoose({ ...preset, scopes: within })}
          >
            {preset.label}
          </Button>
        )
      })}
    </div>
  )
}
