import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

/** The dialog of a question, which calls `close` once it is answered. */
export type Question = (close: () => void) => ReactNode

const QuestionContext = createContext<(question: Question) => void>(() => {})

/** Asks in a dialog that outlives the component it is asked from. */
export const useQuestion = () => useContext(QuestionContext)

export function Questions({ children }: { readonly children: ReactNode }) {
  const [asked, setAsked] = useState<{ readonly question: Question }>()
  const ask = useCallback((question: Question) => setAsked({ question }), [])
  return (
    <QuestionContext value={ask}>
      {children}
      {asked?.question(() => setAsked(undefined))}
    </QuestionContext>
  )
}
