import { Component, type ReactNode } from 'react'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/states.tsx'
import { isUnloaded, Unloaded } from './unloaded.tsx'

/** A fault of ours on a page leaves the rest of the console usable. */
export class Caught extends Component<{ readonly children: ReactNode }, { readonly fault?: Error }> {
  override state: { readonly fault?: Error } = {}

  static getDerivedStateFromError(fault: Error) {
    return { fault }
  }

  override render() {
    const { fault } = this.state
    if (!fault) return this.props.children
    if (isUnloaded(fault)) return <Unloaded fault={fault} />
    return (
      <Empty
        icon="warning"
        title="This page has a fault"
        act={
          <Button icon="again" onClick={() => window.location.reload()}>
            Load it again
          </Button>
        }
      >
        {fault.message}
      </Empty>
    )
  }
}
