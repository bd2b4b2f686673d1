/** On purpose: a result's member with a default counts as present, so that programs need no guard for it. */
const HABITS = [
  'default.json: the default keyword does not do anything if the property is missing: missing properties are not filled in with the default',
]

/** How much is refused says how much the types are worth; most of the suite is about what TypeScript cannot say. */
export const DRAFTS = [
  {
    folder: 'draft2020-12',
    metaSchema: 'https://json-schema.org/draft/2020-12/schema',
    minGroups: 300,
    minRefused: 0.5,
    habits: HABITS,
  },
  {
    folder: 'draft7',
    metaSchema: 'http://json-schema.org/draft-07/schema#',
    minGroups: 200,
    minRefused: 0.5,
    habits: HABITS,
  },
  {
    folder: 'draft4',
    metaSchema: 'http://json-schema.org/draft-04/schema#',
    minGroups: 130,
    minRefused: 0.5,
    habits: HABITS,
  },
] as const
