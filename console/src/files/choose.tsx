import { ENDINGS } from 'crm-connector/files'
import { useId, useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import { numberText } from '../parts/values.tsx'

interface Props {
  readonly file: File | undefined
  readonly onChoose: (file: File) => void
}

/** Where a file is dropped, or chosen by a click. */
export function Choose({ file, onChoose }: Props) {
  const id = useId()
  const [over, setOver] = useState(false)
  return (
    <label
      htmlFor={id}
      className={`files-choose${over ? ' files-over' : ''}${file ? ' files-chosen' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        const [dropped] = event.dataTransfer.files
        if (dropped) onChoose(dropped)
      }}
    >
      <Icon name="upload" size={file ? 18 : 28} />
      {file ? (
        <span>
          <strong>{file.name}</strong> <span className="soft">{sizeText(file.size)} · choose another</span>
        </span>
      ) : (
        <span>
          <strong>Choose a file</strong>, or drop it here
          <small className="soft">CSV, TSV, NDJSON, JSON or Excel; the first line names the columns.</small>
        </span>
      )}
      <input
        id={id}
        type="file"
        accept={ENDINGS.join(',')}
        onChange={(event) => {
          const [picked] = event.target.files ?? []
          if (picked) onChoose(picked)
          // The same file can be chosen again, once it was corrected.
          event.target.value = ''
        }}
      />
    </label>
  )
}

const sizeText = (bytes: number) =>
  bytes < 1024 * 1024 ? `${numberText(Math.ceil(bytes / 1024))} kB` : `${numberText(Math.round(bytes / 1024 / 102.4) / 10)} MB`
