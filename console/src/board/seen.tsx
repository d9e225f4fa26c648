import { useEffect, useRef } from 'react'
import { Skeleton } from '../parts/states.tsx'

/** A placeholder that calls a function when it can be seen. It is mounted anew for each call. */
export function Seen({ height, onSeen }: { readonly height: string; readonly onSeen: () => void }) {
  const box = useRef<HTMLLIElement>(null)
  const current = useRef(onSeen)
  current.current = onSeen
  useEffect(() => {
    if (!box.current) return
    const observer = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && current.current())
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  return (
    <li ref={box} className="board-more">
      <Skeleton height={height} />
    </li>
  )
}
