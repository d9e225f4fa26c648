import type { Random } from './random.ts'

/** Names; those in another script have a Latin transcription after a bar. */
interface Culture {
  readonly weight: number
  readonly given: string
  readonly family: string
  readonly phone: Country
}

/** Phone numbers that are reserved for fiction. */
const PHONES = {
  us: (random: Random) => `+1 ${random.pick(['202', '312', '415', '617', '718'])} 555 01${two(random)}`,
  uk: (random: Random) => `+44 20 7946 0${random.whole(100, 999)}`,
  de: (random: Random) => `+49 30 23125 ${random.whole(100, 999)}`,
  fr: (random: Random) => `+33 1 99 00 ${two(random)} ${two(random)}`,
  se: (random: Random) => `+46 8 465 004 ${two(random)}`,
  au: (random: Random) => `+61 2 5550 ${random.whole(1000, 9999)}`,
} as const

export type Country = keyof typeof PHONES

export const phoneIn = (country: Country, random: Random): string => PHONES[country](random)

const two = (random: Random) => String(random.whole(0, 99)).padStart(2, '0')

const CULTURES: readonly Culture[] = [
  {
    weight: 5,
    phone: 'us',
    given: 'Olivia James Amelia Liam Harper Noah Grace Ethan Chloe Mason Ruby Caleb',
    family: 'Johnson Miller Davis Wilson Moore Clark Hayes Brooks Bennett Reed',
  },
  {
    weight: 4,
    phone: 'uk',
    given: 'Isla Oliver Freya Arthur Poppy Alfie Niamh Rhys Eilidh Callum',
    family: 'Hughes Fletcher Bradshaw MacLeod O’Connor Pritchard Ashworth Whitfield',
  },
  {
    weight: 4,
    phone: 'de',
    given: 'Lena Jonas Mia Felix Hannah Maximilian Jörg Käthe Anneliese Björn',
    family: 'Müller Schäfer Weiß Köhler Brandt Vogel Jäger Lindner Großmann',
  },
  {
    weight: 3,
    phone: 'fr',
    given: 'Chloé Lucas Zoé Théo Inès Gaël Élodie Baptiste Noémie François',
    family: 'Lefèvre Moreau Girard D’Angelo Beaumont Rousseau Chevalier Garnier',
  },
  {
    weight: 3,
    phone: 'us',
    given: 'Sofía Mateo Lucía Diego Valentina Íñigo Camila Joaquín Ximena Raúl',
    family: 'García Muñoz Hernández Ibáñez Castro Peña Ortega Núñez',
  },
  {
    weight: 2,
    phone: 'fr',
    given: 'Giulia Lorenzo Chiara Matteo Beatrice Niccolò Elisa Dario',
    family: 'Rossi Esposito Bianchi Ferrari D’Amico Conti Rinaldi',
  },
  {
    weight: 2,
    phone: 'de',
    given: 'Łukasz Zofia Paweł Małgorzata Wojciech Kasia Tomasz Żaneta',
    family: 'Kowalski Wiśniewska Wójcik Zieliński Dąbrowska Król',
  },
  { weight: 2, phone: 'se', given: 'Astrid Lars Sigrid Åsa Jón Ingrid Mikkel Søren Elsa', family: 'Lindström Bergqvist Hansen Jónsdóttir Nygård Virtanen Øst' },
  { weight: 2, phone: 'de', given: 'Elif Emre Zeynep Kağan Şule Barış Defne Çağla', family: 'Yılmaz Demir Öztürk Şahin Çelik Aydın' },
  { weight: 3, phone: 'uk', given: 'Aarav Priya Rohan Ananya Vikram Meera Arjun Kavya', family: 'Sharma Patel Iyer Reddy Banerjee Singh Nair' },
  { weight: 2, phone: 'au', given: 'Wei|伟 Fang|芳 Jing|静 Hao|浩 Xiu|秀 Ming|明', family: 'Wang|王 Li|李 Zhang|张 Chen|陈 Zhao|赵' },
  { weight: 2, phone: 'au', given: 'Haruto|陽翔 Sakura|さくら Yūki|優希 Aoi|葵 Kenji|健二', family: 'Satō|佐藤 Suzuki|鈴木 Takahashi|高橋 Tanaka|田中' },
  { weight: 1, phone: 'au', given: 'Minh Linh Thảo Đức Quỳnh Anh', family: 'Nguyễn Trần Phạm Đặng Võ' },
  { weight: 2, phone: 'us', given: 'Adaeze Chinedu Folake Babatunde Ngozi Kwame Abena Thabo', family: 'Okafor Adeyemi Mensah Nkosi Balogun Diallo' },
  { weight: 1, phone: 'fr', given: 'Layla|ليلى Omar|عمر Amina|أمينة Yusuf|يوسف', family: 'Haddad|حداد Mansour|منصور Khalil|خليل' },
  { weight: 1, phone: 'se', given: 'Olena|Олена Taras|Тарас Iryna|Ірина Bohdan|Богдан', family: 'Shevchenko|Шевченко Kovalenko|Коваленко Bondar|Бондар' },
]

const ALL = CULTURES.flatMap((culture) => Array.from({ length: culture.weight }, () => culture))

export interface Person {
  readonly first: string
  readonly last: string
  /** The name in ASCII, for an e-mail address. */
  readonly address: string
  readonly phone: string
}

export function personFrom(random: Random): Person {
  const culture = random.pick(ALL)
  const [given = '', givenThere] = random.pick(culture.given.split(' ')).split('|')
  const [family = '', familyThere] = random.pick(culture.family.split(' ')).split('|')
  const isThere = random.chance(0.3) && givenThere !== undefined && familyThere !== undefined
  return {
    first: isThere ? givenThere : given,
    last: isThere ? familyThere : family,
    address: `${plainLetters(given)}.${plainLetters(family)}`,
    phone: phoneIn(culture.phone, random),
  }
}

const SPECIAL: { readonly [letter: string]: string } = { ß: 'ss', ø: 'o', ł: 'l', đ: 'd', ı: 'i', æ: 'ae' }

/** A name as part of an e-mail address. */
export function plainLetters(name: string): string {
  return name
    .toLowerCase()
    .replace(/[ßøłđıæ]/g, (letter) => SPECIAL[letter] ?? '')
    .normalize('NFKD')
    .replace(/[^a-z0-9]/g, '')
}
