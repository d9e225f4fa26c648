import { configOf, createChart, type Drawing } from './engine.ts'

const WIDTH = 960
const HEIGHT = 540
const HEAD = 84
const MARGIN = 28
/** For high-resolution screens and print. */
const SCALE = 2

/** A chart as a PNG of fixed size, with title and caption, in the colours of the theme. */
export async function pictureOf(drawing: Drawing, title: string, about: string): Promise<Blob> {
  const plot = document.createElement('canvas')
  plot.width = WIDTH - 2 * MARGIN
  plot.height = HEIGHT - HEAD - MARGIN
  const config = configOf(() => drawing, { animate: false })
  const chart = createChart(plot, { ...config, options: { ...config.options, responsive: false, devicePixelRatio: SCALE } })

  const canvas = document.createElement('canvas')
  canvas.width = WIDTH * SCALE
  canvas.height = HEIGHT * SCALE
  const ink = canvas.getContext('2d')
  if (!ink) throw new Error('This browser cannot draw pictures.')
  ink.scale(SCALE, SCALE)
  ink.fillStyle = drawing.inks.paper
  ink.fillRect(0, 0, WIDTH, HEIGHT)
  ink.textBaseline = 'top'
  ink.fillStyle = drawing.inks.ink
  ink.font = `600 20px ${drawing.inks.font}`
  ink.fillText(title, MARGIN, MARGIN)
  ink.fillStyle = drawing.inks.soft
  ink.font = `13px ${drawing.inks.font}`
  ink.fillText(about, MARGIN, MARGIN + 28, WIDTH - 2 * MARGIN)
  ink.drawImage(plot, MARGIN, HEAD, WIDTH - 2 * MARGIN, HEIGHT - HEAD - MARGIN)
  chart.destroy()
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser could not encode the picture.'))), 'image/png'),
  )
}
