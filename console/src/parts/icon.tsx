/** Paths on a 24 × 24 grid, drawn with a line of 1.75. */
const PATHS = {
  overview: 'M4 13h6V4H4zM14 20h6V4h-6zM4 20h6v-3H4z',
  leads: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20a7.5 7.5 0 0 1 15 0',
  opportunities: 'M4 19V9M10 19V5M16 19v-7M22 19H2',
  companies: 'M5 20V4h9v16M14 9h5v11M3 20h18M8.5 8h2M8.5 12h2M8.5 16h2',
  contacts: 'M4 5h16v14H4zM9 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM6.2 16a2.8 2.8 0 0 1 5.6 0M14.5 10h3M14.5 14h3',
  cases: 'M5 5h14v10H10l-5 4z',
  objects: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  campaigns: 'M4 10v4l11 5V5zM15 9a3 3 0 0 1 0 6M7 15v4h3v-2.5',
  changes: 'M12 7v5l3.5 2M4 12a8 8 0 1 0 2.5-5.8M4 4v4h4',
  events: 'M13 3 5 14h6l-1 7 8-11h-6z',
  plans: 'M9 12l2.5 2.5L16 10M12 3l8 3v6c0 4.5-3.2 7.7-8 9-4.8-1.3-8-4.5-8-9V6z',
  connections: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  webhooks: 'M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1-1',
  keys: 'M12.5 15.5a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0ZM11.2 12.3 20 3.5M16 7.5l3 3',
  agents: 'M5 9h14v10H5zM12 9V4.5M9 13.5h.01M15 13.5h.01M2.5 13v3M21.5 13v3',
  users: 'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14a6.5 6.5 0 0 1 3.5 6',
  workspaces: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  operations: 'M8 8l-4 4 4 4M16 8l4 4-4 4M13.5 5l-3 14',
  fields: 'M4 5h16v5H4zM4 14h9v5H4zM18 13v7M14.5 16.5h7',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM20 20l-4-4',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  delete: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  undo: 'M8 5 4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  down: 'M6 9l6 6 6-6',
  right: 'M9 6l6 6-6 6',
  left: 'M15 6l-6 6 6 6',
  up: 'M6 15l6-6 6 6',
  filter: 'M4 6h16M7 12h10M10 18h4',
  columns: 'M4 5h16v14H4zM10 5v14M15 5v14',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  upload: 'M12 16V5M7 9l5-5 5 5M5 20h14',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  table: 'M4 5h16v14H4zM4 10h16M4 14.5h16M10 10v9',
  chart: 'M4 20h16M7 16v-5M12 16V6M17 16v-8',
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 2.5-2.5L20 17M15.5 9h.01',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4',
  moon: 'M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5Z',
  screen: 'M4 5h16v11H4zM9 20h6M12 16v4',
  leave: 'M14 5h5v14h-5M4 12h10M10 8l4 4-4 4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  warning: 'M12 4 2.5 20h19zM12 10v4.5M12 17.2h.01',
  book: 'M5 4h10a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h10',
  reload: 'M20 11a8 8 0 1 0-2.3 6M20 5v6h-6',
  play: 'M7 5l12 7-12 7z',
  pause: 'M8 5v14M16 5v14',
} as const

export type IconName = keyof typeof PATHS

/** Decorative, so screen readers skip it. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
