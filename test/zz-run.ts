import { compileSchema } from '../src/schema/schema.ts'
import { suiteGroups, caseName } from './conformance/json-schema/suite.ts'
const dialects: any = { draft4: 'http://json-schema.org/draft-04/schema#', draft7: 'http://json-schema.org/draft-07/schema#', 'draft2020-12': 'https://json-schema.org/draft/2020-12/schema' }
let n = 0, bad = 0
for (const draft of Object.keys(dialects)) for (const g of suiteGroups('/work/shared/corpus/json-schema-suite', draft)) {
  const schema: any = typeof g.schema === 'object' && g.schema && !('$schema' in (g.schema as any)) ? { $schema: dialects[draft], ...(g.schema as any) } : g.schema
  const c = compileSchema(schema, 'full')
  for (const t of g.tests) { n++
    if (!c.ok) { console.log('NOCOMPILE', caseName(draft, g, t.description), c.problems); bad++; continue }
    const v = c.validate(t.data)
    if ((v.length === 0) !== t.valid) { bad++; console.log(caseName(draft, g, t.description), t.valid, v.map(x=>x.message).join(' | ').slice(0,200)) }
  }
}
console.log(n, bad)
