import { compileSchema } from '../src/schema/schema.ts'
import { readdirSync, readFileSync } from 'node:fs'
let n=0, bad=0; const w: Record<string, number> = {}
const t0=performance.now()
for (const f of readdirSync('/work/shared/corpus/catalogs')) { const c = JSON.parse(readFileSync('/work/shared/corpus/catalogs/'+f,'utf8')); for (const t of c.tools ?? []) for (const s of [t.inputSchema, t.outputSchema]) { if (s===undefined) continue; n++
 const r = compileSchema(s,'full'); if(!r.ok){bad++; console.log(f,t.name,r.problems); continue}
 for (const x of r.warnings) { const k=x.replace(/^.*?: /,'').replace(/"[^"]*"/,(m)=>m.slice(0,40)); w[k]=(w[k]??0)+1 }
 const v=r.validate({}); if (v.some(x=>/not checked|cannot/.test(x.received))) console.log(f,t.name,v) } }
console.log(n,bad,performance.now()-t0)
console.log(Object.entries(w).sort((a,b)=>b[1]-a[1]).slice(0,40))
function go(name: string, s: unknown, v: any) { const t=performance.now(); const r=compileSchema(s,'full'); if(!r.ok) return console.log(name,r.problems); const x=r.validate(v); console.log(name,(performance.now()-t).toFixed(1),'ms',r.warnings.slice(0,3), JSON.stringify(x.slice(0,3)).slice(0,400), x.length) }
const exp: any = { $ref:'#/$defs/a0', $defs:{} }; for(let i=0;i<40;i++) exp.$defs['a'+i]={allOf:[{$ref:'#/$defs/a'+(i+1)},{$ref:'#/$defs/a'+(i+1)}]}; exp.$defs.a40={type:'string'}
go('exp',exp,{})
go('self',{ $ref:'#' },1); go('self2',{ anyOf:[{$ref:'#'},{type:'string'}] },1)
let deep: any=1; for(let i=0;i<5000;i++) deep={a:deep}
go('deep',{ properties:{a:{$ref:'#'}} },deep)
let d2: any=1; for(let i=0;i<600;i++) d2={a:d2}
go('deep600',{ properties:{a:{$ref:'#'}} },d2)
go('uniq',{uniqueItems:true},Array.from({length:1e5},(_, i)=>({i})))
go('uniqdup',{uniqueItems:true},Array.from({length:1e5},(_, i)=>({i:i%50000})))
go('redos',{pattern:'^(a+)+$'},'a'.repeat(40)+'b')
go('redos2',{pattern:'a*a*a*a*a*$'},'a'.repeat(40000)+'b')
go('redos3',{pattern:'(a|a)*$'},'a'.repeat(40)+'b')
go('kebab',{pattern:'^[a-z]+(-[a-z]+)*$'},'Abc')
go('email',{pattern:'^[^@]+@[^@]+\\.[^@]+$'},'abc')
go('many',{items:{type:'string'}},Array.from({length:2e5},(_, i)=>i))
go('manyprops',{additionalProperties:false},Object.fromEntries(Array.from({length:2e5},(_, i)=>['k'+i,i])))
let ds: any={type:'string'}; for(let i=0;i<3000;i++) ds={items:ds}
go('deepschema',ds,[[1]])
let ds2: any={type:'string'}; for(let i=0;i<400;i++) ds2={items:ds2}
go('deepschema400',ds2,[[1]])
go('anyof',{properties:{x:{anyOf:[{type:'string'},{type:'null'}]}, y:{oneOf:[{type:'object',properties:{k:{const:'a'},n:{type:'number'}},required:['k','n']},{type:'object',properties:{k:{const:'b'}},required:['k']}]}, z:{type:'array',items:{enum:['red','green']}}, f:{type:'dict'}}, required:['city'], additionalProperties:false},{x:1,y:{k:'a'},z:['rad'],citty:1,f:[]})
go('nullable',{type:'object',properties:{a:{type:'string',nullable:true,enum:['x']},b:{$ref:'#/$defs/q',nullable:true}},$defs:{q:{type:'integer',minimum:0,exclusiveMinimum:true}}},{a:null,b:0})
go('proto',JSON.parse('{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["__proto__","constructor","toString"],"additionalProperties":false}'),JSON.parse('{"__proto__":1,"constructor":"x","hasOwnProperty":1}'))
go('lone',{properties:{'\ud800':{type:'string'}}},{'\ud800':1})
go('pat',{pattern:'^[\\w\\-\\.]+\\@x$'},'nope'); go('py',{pattern:'(?P<x>a)'},'nope')
