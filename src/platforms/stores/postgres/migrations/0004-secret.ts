/** The secret of the store, from which keys are derived: 244 random bits. Frozen. */
export const SECRET: readonly string[] = [
  'CREATE TABLE "Secret" ("Name" TEXT COLLATE "C" PRIMARY KEY, "Value" TEXT COLLATE "C" NOT NULL)',
  `INSERT INTO "Secret" ("Name", "Value") VALUES ('store', replace(CAST(gen_random_uuid() AS TEXT) || CAST(gen_random_uuid() AS TEXT), '-', ''))`,
]
