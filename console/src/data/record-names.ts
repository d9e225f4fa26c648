import { createContext, useContext } from 'react'

/** The name of a record by its type and id; undefined where it is not known, or not yet. */
export type NameOfRecord = (recordType: string, id: string) => string | undefined

export const RecordNamesContext = createContext<NameOfRecord>(() => undefined)

export const useRecordNames = (): NameOfRecord => useContext(RecordNamesContext)
