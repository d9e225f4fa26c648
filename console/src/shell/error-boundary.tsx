import { Component, type ReactNode } from 'react'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/states.tsx'
import { isLoadFailure, LoadFailure } from './load-failure.tsx'

/** An exception on a page leaves the rest of the console usable. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly error?: Error }> {
  override state: { readonly error?: Error } = {}

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    if (isLoadFailure(error)) return <LoadFailure error={error} />
    return (
      <Empty
        icon="warning"
        title="This page failed"
        act={
          <Button icon="reload" onClick={() => window.location.reload()}>
            Reload
          </Button>
        }
      >
        {error.message}
      </Empty>
    )
  }
}
