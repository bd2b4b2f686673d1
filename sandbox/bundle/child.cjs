const moduleUrl = require('node:url').pathToFileURL(__filename).href
"use strict";

// guest-text:guest.js
var guest_default = '(function(){\'use strict\';\n"use strict";var guest=(()=>{var Ze=Object.defineProperty;var Xo=Object.getOwnPropertyDescriptor;var Yo=Object.getOwnPropertyNames;var Qo=Object.prototype.hasOwnProperty;var ts=(e,t)=>{for(var n in t)Ze(e,n,{get:t[n],enumerable:!0})},es=(e,t,n,r)=>{if(t&&typeof t=="object"||typeof t=="function")for(let o of Yo(t))!Qo.call(e,o)&&o!==n&&Ze(e,o,{get:()=>t[o],enumerable:!(r=Xo(t,o))||r.enumerable});return e};var ns=e=>es(Ze({},"__esModule",{value:!0}),e);var Oa={};ts(Oa,{default:()=>Ta});var{apply:rs,construct:os,defineProperty:me,getPrototypeOf:ss,ownKeys:Vn,getOwnPropertyDescriptor:he}=Reflect,is=Function.prototype.bind.bind(Function.prototype.call);function g(e){return is(e)}var A=rs,Bt=os,Y=me,xt=ss,Qe=Vn,j=he,{create:I,freeze:Q,keys:U,setPrototypeOf:ye,is:Gn}=Object,$t=Object.prototype,Kn=Array.prototype,Jn=Function.prototype,z=Object.hasOwn,St=g(Object.prototype.isPrototypeOf),tt=Array.isArray,be=Number.isFinite,S=String,Zn=Number,N=g(String.prototype.charCodeAt),La=g(String.prototype.codePointAt),b=g(String.prototype.slice),P=g(String.prototype.indexOf),V=g(String.prototype.startsWith),at=g(String.prototype.endsWith),Ut=g(String.prototype.repeat),Xn=g(String.prototype.padStart),Yn=g(String.prototype.padEnd),Qn=g(String.prototype.toLowerCase),ja=g(String.prototype.toUpperCase),O=g(String.prototype.toWellFormed),Pa=g(String.prototype.isWellFormed),we=g(String.prototype.trim),tn=g(Number.prototype.toString),tr=g(Symbol.prototype.toString),er=g(Function.prototype.toString),v=g(RegExp.prototype.exec),ke=g(RegExp.prototype.toString),en=g(Error.prototype.toString),nr=g(Array.prototype.sort),as=JSON.stringify,et=JSON.parse;function y(e){return as(e)}var{floor:rr,max:G,min:Et,imul:nn}=Math,Wt=Promise,or=Promise.prototype,qt=Error,ut=TypeError,sr=RangeError,ir=SyntaxError,xe=Error.prototype,ar=Proxy,zt=Error.captureStackTrace,rn=eval;function h(){return ye([],null)}function f(e,t){e[e.length]=t}function lt(e,t){let n="";for(let r=0;r<e.length;r++)n+=r===0?e[0]:t+e[r];return n}function Se(e,t){let n=Vn(e);for(let r=0;r<n.length;r++){let o=n[r];if(o==="constructor")continue;let s=he(e,o);me(t,o,s)}ye(t,null),Q(t)}var T=class extends Map{};Se(Map.prototype,T.prototype);var _=class extends Set{};Se(Set.prototype,_.prototype);var Xe=class extends WeakMap{};Se(WeakMap.prototype,Xe.prototype);var Ye=class extends WeakSet{};Se(WeakSet.prototype,Ye.prototype);var Ee=g(Map.prototype.forEach),ur=g(he(Map.prototype,"size").get),Te=g(Set.prototype.forEach),lr=g(he(Set.prototype,"size").get);function m(e,t,n,r){me(e,t,{value:n,writable:r.writable===!0,enumerable:r.enumerable===!0,configurable:r.configurable===!0})}function K(e,t,n,r){me(e,t,{__proto__:null,value:n,writable:!0,enumerable:r,configurable:!0})}var E={writable:!0,enumerable:!1,configurable:!0},Ht={writable:!1,enumerable:!1,configurable:!1};var on="program.js:",dr="program.ts:",us=/^(\\d{1,9}):(\\d{1,9})/,Vt,cr,fr=new T;function sn(e){Vt=e}function pr(e){return P(e,Vt===void 0?on:dr)>=0}function gr(e){let t=P(e,on);if(t<0)return;if(Vt===void 0)return e;t+=on.length;let n=v(us,b(e,t,t+20));if(n===null)return;let r=ls(+n[1],+n[2]);if(r===void 0)return;let o=P(e," ("),s=o>0&&o<t?b(e,0,o):"";return s===""||at(s,Vt.ownSuffix)?r:s+" ("+r+")"}function ls(e,t){let n=ds(e),r=0,o=n.length/4;for(;r<o;){let u=r+o>>1;n[4*u]<=t?r=u+1:o=u}if(r===0)return;let s=4*(r-1),i=n[s+1];if(i===mr)return;let a=i===cs?t-n[s]:0;return dr+n[s+2]+":"+(n[s+3]+a)}var mr=45,cs=43,fs=44;function ds(e){let t=fr.get(e);if(t!==void 0)return t;cr??=ps(Vt.table);let n=cr[e-1]??"",r=h(),o=0;for(let s=0;s<n.length;s++){let i=N(n,s);i>=48&&i<=57?o=o*10+i-48:(f(r,o),o=0,i!==fs&&i!==46&&f(r,i),i===mr&&f(r,0))}return n!==""&&f(r,o),fr.set(e,r),r}function ps(e){let t=h(),n=0;for(;;){let r=P(e,";",n);if(r<0)break;f(t,b(e,n,r)),n=r+1}return f(t,b(e,n)),t}var Oe=["name","message","code","tool","phase","bodyStarted","retryable","details"];function br(e){let t=h(),n=h();for(let r=0;r<Oe.length;r++){let o=Oe[r],s;try{s=e[o]}catch{continue}s===void 0||typeof s=="function"||r>2&&j(e,o)===void 0||(f(t,o),f(n,s))}return{names:t,values:n}}function wr(e){let t="",n=r=>{t+=(t===""?"":", ")+r};try{yr(e,"cause")&&n("cause"),yr(e,"errors")&&n("errors");let r=U(e);for(let o=0;o<r.length&&o<gs;o++){let s=r[o];ms(s)||n(s)}}catch{}return t}var gs=20,hr=["cause","errors","content","stack"];function yr(e,t){let n=j(e,t);return n!==void 0&&(!z(n,"value")||n.value!==void 0)}function ms(e){for(let t=0;t<Oe.length;t++)if(Oe[t]===e)return!0;for(let t=0;t<hr.length;t++)if(hr[t]===e)return!0;return!1}function kr(e){let t=h(),n=h(),r=h();return Ee(e,(o,s)=>{let i=typeof s;(i==="string"||i==="number"||i==="bigint"||i==="boolean")&&f(t,S(s)),f(n,o),f(r,[s,o])}),{entries:t.length===n.length?{names:t,values:n}:void 0,pairs:r}}function xr(e){let t=h();return Te(e,n=>f(t,n)),t}function Gt(e){let t=e.length;for(let n=0;n<e.length;n++){let r=N(e,n);if(!(r<128))if(r<2048)t+=1;else if(r>=55296&&r<=56319&&n+1<e.length){let o=N(e,n+1);t+=2,o>=56320&&o<=57343&&n++}else t+=2}return t}function an(e,t){return e.length>t?!0:e.length*3<=t?!1:Gt(e)>t}function D(e,t){if(!an(e,t))return e;let n=0;for(let r=0;r<e.length;r++){let o=N(e,r),s=o>=55296&&o<=56319&&r+1<e.length,i=o<128?1:o<2048?2:s?4:3;if(n+i>t)return O(b(e,0,r));n+=i,s&&r++}return e}function L(e,t){return e.length<=t?e:O(b(e,0,t-1))+"\\u2026"}var hs=/^[A-Za-z_$][A-Za-z0-9_$]*$/;function Sr(e){return v(hs,e)===null?`[${y(L(e,60))}]`:"."+L(e,60)}var Er=g(Date.prototype.getTime),ys=g(Date.prototype.toISOString),bs=g(j(RegExp.prototype,"source").get),ws=g(Number.prototype.valueOf),ks=g(String.prototype.valueOf),xs=g(Boolean.prototype.valueOf),Ss=g(BigInt.prototype.valueOf),Es=g(WeakMap.prototype.has),Ts=g(WeakSet.prototype.has),Os=xt(Uint8Array.prototype),As=g(j(Os,Symbol.toStringTag).get),Ls=g(j(ArrayBuffer.prototype,"byteLength").get);function ct(e,t){try{return e(t),!0}catch{return!1}}var js=Er,Ps=e=>{bs(e)};function Tt(e){if(tt(e))return"array";let t=xt(e);return t===$t||t===null?"plain":St(xe,e)?"error":St(or,e)?"promise":ct(js,e)?"date":ct(ur,e)?"map":ct(lr,e)?"set":As(e)!==void 0?"bytes":ct(Ls,e)?"buffer":ct(Ps,e)?"regexp":ft(e)!==e?"boxed":ct(n=>Es(n,$t),e)||ct(n=>Ts(n,$t),e)?"weak":"instance"}function ft(e){let t=[ws,ks,xs,Ss];for(let n=0;n<t.length;n++)try{return t[n](e)}catch{}return e}function Ae(e){let t=Er(e);return t===t?ys(e):void 0}function M(e){try{let n=xt(e)?.constructor?.name;return typeof n=="string"&&n!==""?n:"Object"}catch{return"Object"}}function Tr(e){try{if(typeof e.next!="function")return;if(typeof e[Rs]=="function")return"use [...it]";if(typeof e[vs]=="function")return"collect it with for await, or await Array.fromAsync(it)"}catch{}}var{iterator:Rs,asyncIterator:vs,toStringTag:Cs}=Symbol;function ln(e){let t=M(e);try{let n=e[Cs];typeof n=="string"&&n!==""&&(t=n)}catch{}return t=L(O(t),60),(v(/^[AEIOUaeiou]/,t)===null?"a ":"an ")+t}function Or(e){return un($t,"toJSON")===e||un(Kn,"toJSON")===e||un(Jn,"toJSON")===e}function un(e,t){let n=j(e,t);if(n!==void 0)return"value"in n?n.value:void 0}function Kt(e){try{if(typeof e=="object"&&e!==null){let t=e.message;return typeof t=="string"?t:M(e)}return S(e)}catch{return"an error that cannot be read"}}var cn=200,Ar=20,Ot=class{#t;#n;#e;#r=h();#s=new _;#i="";#l=!1;#f;notices=h();pending=h();#p=0;constructor(t,n,r){this.#t=t,this.#n=n,this.#e=r}run(t){let n=this.#m(t,"");for(;this.#r.length>0&&this.#f===void 0&&!this.#l;){let r=this.#r[this.#r.length-1];if(r.index>=r.length){this.#i+=r.close,this.#s.delete(r.source),this.#r.length--;continue}let o=r.index++;r.keys===void 0?this.#S(r,o):this.#E(r,r.keys[o],o)}return n}get text(){return this.#i}get refusal(){return this.#f}get isOversize(){return this.#l||an(this.#i,this.#n)}#S(t,n){t.isEmpty||this.#o(","),t.isEmpty=!1;let r=this.#b(t,n);this.#m(r,S(n))||(this.#t&&this.#f===void 0&&this.#a("is undefined; use null"),this.#o("null"))}#E(t,n,r){let o=t.values===void 0?this.#b(t,n):t.values[r],s=this.#i;this.#o((t.isEmpty?"":",")+y(this.#t?n:O(n))+":"),this.#m(o,n)?t.isEmpty=!1:this.#i=s}#b(t,n){try{return(t.values??t.source)[n]}catch(r){this.#g(r);return}}#o(t){this.#i+=t,this.#i.length>this.#n&&(this.#l=!0)}#g(t){let n=L(Kt(t),200);this.#t?this.#a(`cannot be read: ${n}`):this.#u(`could not be read and was dropped (${n})`)}#a(t){this.#f??={ok:!1,path:this.#w(),problem:t}}#u(t){this.#p++,!(this.#p>Ar)&&(this.#p===Ar?f(this.notices,"More values of the result were changed in such ways."):f(this.notices,"result"+this.#w()+" "+t))}#w(){let t="";for(let n=0;n<this.#r.length;n++){let r=this.#r[n];if(r.index===0)continue;let o=r.index-1;t+=r.keys===void 0?`[${o}]`:Sr(r.keys[o])}return L(t,300)}#m(t,n){let r=t;for(let o=0;;o++){switch(typeof r){case"string":return r.length>this.#n?this.#l=!0:this.#o(y(this.#t?r:O(r))),!0;case"boolean":return this.#o(r?"true":"false"),!0;case"number":return this.#O(r);case"undefined":return!1;case"bigint":return this.#t?this.#a("is a bigint; JSON has none: use Number(value) or String(value)"):this.#o(\'"\'+S(r)+\'"\'),!0;case"symbol":return this.#h("a symbol");case"function":return this.#h("a function");case"object":break}if(r===null)return this.#o("null"),!0;let s=r,i=this.#e.get(s);if(i!==void 0&&o<10){i.isRejected&&this.#u("was a promise that was rejected; its error stands in its place"),r=i.value;continue}let a=this.#T(s);if(a===void 0)return this.#t;if(a==="date"){let u=Ae(s);return u===void 0&&(this.#t?this.#a("is an invalid Date"):this.#u("was an invalid Date and became null")),this.#o(u===void 0?"null":\'"\'+u+\'"\'),!0}if(o===0&&a!=="array"&&a!=="promise"){let u=this.#A(s,n);if(u!==void 0){r=u.value;continue}}if(a==="boxed"){r=ft(s);continue}return this.#L(s,a)}}#T(t){try{return Tt(t)}catch(n){this.#g(n);return}}#O(t){return be(t)?(this.#o(t===0?"0":S(t)),!0):(this.#t?this.#a(`is ${S(t)}; JSON has no such number`):this.#u(`was ${S(t)} and became null`),this.#o("null"),!0)}#h(t){return this.#t?(this.#a(`is ${t}; arguments must be plain JSON data`),!0):(this.#u(`was ${t} and was dropped`),!1)}#A(t,n){try{let r=t.toJSON;return typeof r!="function"||Or(r)?void 0:{value:A(r,t,[n]),isRejected:!1}}catch(r){let o=L(Kt(r),200);if(this.#t)return this.#a(`has a toJSON that failed: ${o}`),{value:null,isRejected:!1};this.#u(`has a toJSON that failed (${o}); it was read without it`);return}}#L(t,n){if(this.#s.has(t))return this.#t?this.#a("is a cycle: it contains itself"):this.#u("was a cycle and was dropped"),this.#t;if(this.#r.length>=cn)return this.#t?this.#a(`is nested deeper than ${cn} levels`):this.#u(`was nested deeper than ${cn} levels and became null`),this.#o("null"),!0;switch(n){case"array":return this.#d(t,t);case"plain":return this.#k(t);case"instance":return this.#j(t);case"promise":return this.#t?this.#a("is a promise; await it first"):f(this.pending,t),this.#o("null"),!0;case"error":return this.#t?this.#c("an Error","pass its message"):(this.#P(t),this.#x(t,br(t)));case"map":return this.#t?this.#c("a Map","use Object.fromEntries(map)"):this.#R(t);case"set":return this.#t?this.#c("a Set","use [...set]"):this.#d(t,xr(t));case"bytes":return this.#t?this.#c("a typed array","use Array.from(it), or base64 text"):this.#d(t,t);case"buffer":return this.#t?this.#c("an ArrayBuffer","use base64 text"):this.#d(t,new Ds(t));case"regexp":return this.#t?this.#c("a RegExp","use its source"):(this.#o(y(O(ke(t)))),!0);case"weak":return this.#h("a weak collection");case"date":case"boxed":return!1}}#c(t,n){return this.#a(`is ${t}; ${n}`),!0}#y(t,n){return this.#s.add(t),f(this.#r,{source:t,keys:n.keys,values:n.values,length:n.length,close:n.close,index:0,isEmpty:!0}),!0}#d(t,n){let r;try{r=n.length}catch{r=0}this.#o("[");let o=typeof r=="number"?r:0;return this.#y(t,{keys:void 0,values:n,length:o,close:"]"})}#k(t){let n;try{n=U(t)}catch(r){return this.#g(r),this.#t}return this.#o("{"),this.#y(t,{keys:n,values:void 0,length:n.length,close:"}"})}#j(t){let n=Tr(t);if(this.#t&&n!==void 0)return this.#c(ln(t),n);let r=this.#k(t),o=this.#r[this.#r.length-1];if(this.#t||!r||o===void 0||o.source!==t||o.length>0)return r;let s=`was ${ln(t)} without fields of its own and became {}`;return this.#u(n===void 0?s:`${s}; ${n}`),r}#P(t){let n=wr(t);n!==""&&this.#u(`was an Error; left out: ${L(n,200)}`)}#x(t,{names:n,values:r}){return this.#o("{"),this.#y(t,{keys:n,values:r,length:n.length,close:"}"})}#R(t){let{entries:n,pairs:r}=kr(t);return n===void 0?this.#d(t,r):this.#x(t,n)}},Ds=Uint8Array;var Lr=new T;function jr(e,t){if(e===void 0)return{ok:!0,json:"{}"};let n=new Ot(!0,t,Lr),r=n.run(e);return n.refusal!==void 0?n.refusal:n.isOversize?{ok:!1,path:"",problem:`is larger than ${t} bytes`}:{ok:!0,json:r?n.text:"{}"}}async function fn(e,t){let n=new T;for(;;){let r=new Ot(!1,t,n),o=r.run(e);if(r.pending.length===0){let{notices:s}=r;return r.isOversize?{__proto__:null,ok:!1,notices:s}:{__proto__:null,ok:!0,json:o?r.text:void 0,notices:s}}for(let s=0;s<r.pending.length;s++){let i=r.pending[s];try{n.set(i,{value:await i,isRejected:!1})}catch(a){n.set(i,{value:a,isRejected:!0})}}}}function Jt(e,t){let n=new Ot(!1,t,Lr),r=n.run(e);return n.isOversize?{ok:!1,notices:n.notices}:{ok:!0,json:r?n.text:void 0,notices:n.notices}}var Zt=16*1024,Fs=16*1024,Is=20,Pr=4,dt=class extends Error{};m(dt.prototype,"name","ToolError",E);var Rr=["tool","code","phase","bodyStarted","retryable","details","content"];function Le(e,t){let n=new dt(e.message);for(let o=0;o<Rr.length;o++){let s=Rr[o];z(e,s)&&K(n,s,e[s],!0)}let r=t===void 0?"":Xt(nt(t,"stack"));return K(n,"stack","ToolError: "+e.message+(r===""?"":`\n`+r),!1),n}function pt(e){let t={__proto__:null};return zt(t,e),t}function Cr(e,t,n){let r=et(e),o=typeof r=="object"&&r!==null?r:{},s=(u,c)=>{let d=z(o,u)?o[u]:void 0;return typeof d=="string"?d:c},i=u=>z(o,u)&&o[u]===!0,a={__proto__:null,tool:s("tool",t),code:s("code","TOOL_FAILED"),message:s("message","The tool failed."),phase:s("phase","body"),bodyStarted:i("bodyStarted"),retryable:i("retryable")};return z(o,"details")&&K(a,"details",o.details,!1),z(o,"content")&&K(a,"content",o.content,!1),Le(a,n)}function gt(e,t,n){return Le({tool:e,code:"INVALID_ARGS",message:t,phase:"arguments",bodyStarted:!1,retryable:!1},n)}var Ms="the program threw an error that cannot be read";function _s(e,t){try{return e[t],!0}catch{return!1}}function nt(e,t){try{let n=e[t];return typeof n=="string"?n:""}catch{return""}}function Xt(e){let t="",n=0,r=0;for(;r<e.length&&n<Is;){let o=P(e,`\n`,r);o<0&&(o=e.length);let s=we(b(e,r,o));r=o+1,V(s,"at ")&&pr(s)&&(V(s,"at eval (")&&at(s,")")&&(s="at "+b(s,9,-1)),t+=(t===""?"":`\n`)+"    "+s,n++)}return t}function Dr(e){try{return en(e)}catch{return M(e)}}function Fr(e,t){let n=nt(t,"stack");return V(n,e)?b(n,e.length):n}function je(e){let t=Dr(e),n=Xt(Fr(t,e));return D(t,Zt)+(n===""?"":`\n`+n)}function Pe(e){try{return typeof e=="object"&&e!==null&&St(xe,e)}catch{return!1}}function Ir(e,t){if(!Pe(e))return{s:"threw",name:"Error",message:"The program threw "+Mr(e),stack:""};let n=D(O(nt(e,"name")||M(e)),256),r=_s(e,"message")?t(n,nt(e,"message")):Ms,o=D(Xt(Fr(Dr(e),e)),Fs),s=nt(e,"code"),i=St(dt.prototype,e)?nt(e,"tool"):"",a=D(r+Ns(e),Zt);return{s:"threw",name:n,message:O(a),stack:O(o),...s!==""&&{code:D(O(s),256)},...i!==""&&{tool:D(O(i),256)}}}function Mr(e){if(typeof e=="string")return D("the string "+y(O(e)),Zt);if(typeof e!="object"||e===null)return D(typeof e=="function"?"a function":Kt(e),Zt);let t=Jt(e,Zt);return t.ok&&t.json!==void 0?t.json:t.notices.length>0?"a value that cannot be read":"an object of "+M(e)}function Ns(e){let t="",n=e;for(let r=0;r<Pr;r++){let o,s;try{if(o=n.cause,s=n.errors,typeof s=="object"&&s!==null){let i=s;for(let a=0;a<i.length&&a<Pr;a++)t+=`\n  [error ${a+1}: ${vr(i[a])}]`}}catch{return t}if(o==null||(t+=`\n  [cause: ${vr(o)}]`,typeof o!="object"))return t;n=o}return t}function vr(e){if(!Pe(e))return D(Mr(e),1024);let t=nt(e,"name")||M(e);return D(t+": "+nt(e,"message"),2048)}function _r(e){let t=\'{"s":"threw","name":\'+y(e.name)+\',"message":\'+y(e.message)+\',"stack":\'+y(e.stack);return z(e,"code")&&(t+=\',"code":\'+y(S(e.code))),z(e,"tool")&&(t+=\',"tool":\'+y(S(e.tool))),t+"}"}function Nr(){let e=Bs(),t=(n,r)=>{let o;try{o=en(n)}catch{o="Error"}let s=o,i=r;for(let a=0;a<i.length;a++){let u=e(i[a]);V(u,"eval (")&&at(u,")")&&(u=b(u,6,-1));let c=gr(u);c!==void 0&&(s+=`\n    at `+c)}return s};Y(qt,"prepareStackTrace",{__proto__:null,get:()=>t,set:()=>{},enumerable:!1,configurable:!1})}function Bs(){let e=qt;e.prepareStackTrace=(o,s)=>s;let t={};zt(t);let n=t.stack;delete e.prepareStackTrace;let r=n[0].toString;return o=>S(Us(r,o))}var{apply:$s}=Reflect;function Us(e,t){return $s(e,t,[])}var Ws=48*1024,Br=200,qs=100,Lt=h(),J="",At=0,dn=0,pn=0;function Z(e){J=J===""?e:J+","+e,J.length>=Ws&&(f(Lt,J),J="")}function $r(e,t,n,r){Z(\'{"e":"call","n":\'+e+\',"op":"\'+t+\'","name":\'+y(n)+\',"args":\'+y(r)+"}")}function gn(e,t){Z(\'{"e":"timer","id":\'+e+\',"ms":\'+t+"}")}function Ur(e){Z(\'{"e":"clear","id":\'+e+"}")}function rt(e,t){dn++,!(dn>Br)&&(dn===Br&&(t="Further notices of this run are left out."),Z(\'{"e":"notice","code":\'+y(e)+\',"text":\'+y(t)+"}"))}function Wr(e){pn++,pn<=qs&&Z(e)}function qr(){pn=0}function mn(){let e;At<Lt.length?(e=Lt[At],Lt[At]="",At++):(e=J,J="");let t=At<Lt.length||J!=="";return t||(Lt.length=0,At=0),{events:e,more:t}}var w={limits:{memoryMb:0,maxPendingCalls:1,maxLogBytes:0,maxResultBytes:0,maxValueBytes:0},startTimeMs:0,nowMs:0};var hn=new T,Pt=h(),jt=0,zs=0,Re=0;function mt(e,t,n,r,o){let s=pt(o),i=jr(r,w.limits.maxValueBytes);if(!i.ok)return Rt(gt(t,`${n}: argument${i.path} ${i.problem}`,s));let a=i.json;return Vr(new Wt((u,c)=>{let d={n:++zs,op:e,name:t,label:n,resolve:u,reject:c,site:s};hn.set(d.n,d),Re<w.limits.maxPendingCalls?zr(d,a):f(Pt,{call:d,args:a})}))}function Rt(e){return Vr(new Wt((t,n)=>n(e)))}function zr(e,t){Re++,$r(e.n,e.op,e.name,t)}function Hr(e,t,n){let r=hn.get(e);if(r!==void 0){hn.delete(e),Re--,Hs();try{t?r.resolve(et(n)):r.reject(Cr(n,r.name,r.site))}catch{let s={tool:r.name,code:"TOOL_FAILED",message:"The reply could not be read.",phase:"body",bodyStarted:!0,retryable:!1};r.reject(Le(s,r.site))}}}function Hs(){for(;jt<Pt.length&&Re<w.limits.maxPendingCalls;){let e=Pt[jt];Pt[jt]=void 0,jt++,zr(e.call,e.args)}jt===Pt.length&&(Pt.length=0,jt=0)}function Vr(e){return Vs(e),e}async function Vs(e){try{await e}catch{}}function ve(e,t,n,r){let o=Qe(e);for(let s=0;s<o.length;s++){let i=o[s];if(i==="prototype"||i==="name"||i==="length")continue;let a=j(e,i);Y(t,i,a)}m(t,"name",n,{configurable:!0}),m(t,"length",r,{configurable:!0}),ye(t,Reflect.getPrototypeOf(e)),m(t,"prototype",e.prototype,{}),m(e.prototype,"constructor",t,E)}function Jr(e){Gs(e),Zs();let t=I(I(Object.prototype));m(t,"now",()=>w.nowMs-w.startTimeMs,E),Y(t,"timeOrigin",{__proto__:null,get:()=>w.startTimeMs,enumerable:!0,configurable:!0}),m(e,"performance",t,E)}function Gs(e){let t=Date,n=g(t.prototype.toString);function r(...o){return new.target===void 0?yn(n(new t(w.nowMs))):Bt(t,o.length===0?[w.nowMs]:o,new.target)}ve(t,r,"Date",7),Ks(t.prototype),m(r,"now",Xr("now",()=>w.nowMs),E),m(e,"Date",r,E)}function yn(e){let t=P(e," (");return t<0?e:b(e,0,t)+" (Coordinated Universal Time)"}function Ks(e){let{toString:t,toTimeString:n}=e,r={toString(){return yn(A(t,this,[]))},toTimeString(){return yn(A(n,this,[]))}};m(e,"toString",r.toString,E),m(e,"toTimeString",r.toTimeString,E)}var Gr=["Duration","Instant","PlainDate","PlainDateTime","PlainMonthDay","PlainTime","PlainYearMonth","ZonedDateTime"];function Zr(e,t){if(P(t,"Temporal")>=0||P(t,"\\\\")>=0){Js();return}delete e.Temporal,delete Date.prototype.toTemporalInstant}function Js(){let e=globalThis.Temporal;if(e===void 0)return;let{Instant:t}=e,n=t.fromEpochMilliseconds,r=t.fromEpochMilliseconds(0),o=r.toZonedDateTimeISO,s=r.toZonedDateTimeISO("UTC"),{toPlainDateTime:i,toPlainDate:a,toPlainTime:u}=s,c=()=>A(n,t,[w.nowMs]),d=x=>A(o,c(),[x===void 0?"UTC":x]),p={__proto__:null,timeZoneId:()=>"UTC",instant:()=>c(),zonedDateTimeISO:x=>d(x),plainDateTimeISO:x=>A(i,d(x),[]),plainDateISO:x=>A(a,d(x),[]),plainTimeISO:x=>A(u,d(x),[])},l=Qe(e.Now);for(let x=0;x<l.length;x++){let F=l[x];if(typeof F!="string")continue;let k=p[F];k===void 0?delete e.Now[F]:m(e.Now,F,Xr(F,k),E)}let R=e;for(let x=0;x<Gr.length;x++){let F=R[Gr[x]];F!==void 0&&ht(F.prototype,"toLocaleString",0,!1)}}function Xr(e,t){return m(t,"name",e,{configurable:!0}),t}var Kr=["Collator","DateTimeFormat","DisplayNames","DurationFormat","ListFormat","NumberFormat","PluralRules","RelativeTimeFormat","Segmenter"],bn="en-US";function Zs(){let e=Intl;for(let t=0;t<Kr.length;t++){let n=Kr[t],r=e[n];if(r===void 0)continue;let o=n==="DateTimeFormat",s=o||n==="NumberFormat"||n==="Collator",i=function(a,u){if(new.target===void 0&&!s)throw new TypeError(`Constructor Intl.${n} requires \'new\'`);let c=[a===void 0?bn:a,o?Yr(u):u];return Bt(r,c,new.target??i)};ve(r,i,n,0),m(e,n,i,E)}delete e.v8BreakIterator,Xs(e.DateTimeFormat),Ys()}function Yr(e){if(e===void 0)return{__proto__:null,timeZone:"UTC"};if(typeof e!="object"||e===null||e.timeZone!==void 0)return e;let t=I(e);return K(t,"timeZone","UTC",!0),t}function Xs(e){let t=e.prototype,n=j(t,"format").get,r=new WeakMap,o=g(WeakMap.prototype.get),s=g(WeakMap.prototype.set);Y(t,"format",{__proto__:null,get(){let u=A(n,this,[]),c=o(r,this);return c===void 0&&(c=d=>A(u,void 0,[d===void 0?w.nowMs:d]),s(r,this,c)),c},enumerable:!1,configurable:!0});let i=t.formatToParts;m(t,"formatToParts",{formatToParts(u){return A(i,this,[u===void 0?w.nowMs:u])}}.formatToParts,E)}function Ys(){let e=["toLocaleString","toLocaleDateString","toLocaleTimeString"];for(let t=0;t<e.length;t++)ht(Date.prototype,e[t],0,!0);ht(Number.prototype,"toLocaleString",0,!1),ht(BigInt.prototype,"toLocaleString",0,!1),ht(String.prototype,"localeCompare",1,!1),ht(String.prototype,"toLocaleLowerCase",0,!1),ht(String.prototype,"toLocaleUpperCase",0,!1)}function ht(e,t,n,r){let o=e[t],i=(n===0?{[t](a,u){let c=r?Yr(u):u;return A(o,this,[a===void 0?bn:a,c])}}:{[t](a,u,c){return A(o,this,[a,u===void 0?bn:u,c])}})[t];m(i,"length",o.length,{configurable:!0}),m(e,t,i,E)}var Qs=40,ti=100,ei=Uint8Array,wn=class{#t;#n=new T;constructor(t){this.#t=t}get isSpent(){return this.#t<=0}#e(t){return this.#t-=t.length,t}show(t,n){switch(typeof t){case"string":return this.#e(y(O(t)));case"number":return this.#e(Gn(t,-0)?"-0":S(t));case"bigint":return this.#e(S(t)+"n");case"symbol":return this.#e(tr(t));case"function":return this.#e(ni(t));case"boolean":case"undefined":return this.#e(S(t));case"object":break}if(t===null)return this.#e("null");let r=t;if(this.#n.has(r))return this.#e("[Circular]");if(n>Qs)return this.#e(tt(r)?"[Array]":"[Object]");if(this.#t<=0)return"\\u2026";this.#n.set(r,n);try{return this.#r(r,n)}catch{return this.#e("[object that cannot be read]")}finally{this.#n.delete(r)}}#r(t,n){switch(Tt(t)){case"array":return this.#s(t,"[","]",n);case"date":return this.#e(Ae(t)??"Invalid Date");case"error":return this.#f(t,n);case"regexp":return this.#e(ke(t));case"promise":return this.#e("Promise {\\u2026} (not awaited)");case"weak":return this.#e(M(t)+" {\\u2026}");case"boxed":return M(t)+"("+this.show(ft(t),n+1)+")";case"bytes":return this.#s(t,`${M(t)}(${t.length}) [`,"]",n);case"buffer":{let o=new ei(t);return this.#s(o,`ArrayBuffer(${o.length}) [`,"]",n)}case"map":{let o=h();return Ee(t,(s,i)=>{this.isSpent||f(o,this.show(i,n+1)+" => "+this.show(s,n+1))}),Yt(o,`Map(${o.length}) {`,"}",n)}case"set":{let o=h();return Te(t,s=>{this.isSpent||f(o,this.show(s,n+1))}),Yt(o,`Set(${o.length}) {`,"}",n)}case"instance":return this.#i(t,M(t)+" {",n);case"plain":return this.#i(t,"{",n)}}#s(t,n,r,o){let s=h();for(let i=0;i<t.length;i++){if(this.isSpent){f(s,`\\u2026 ${t.length-i} more`);break}f(s,this.show(t[i],o+1))}return Yt(s,n,r,o)}#i(t,n,r){let o=U(t),s=h();for(let i=0;i<o.length;i++){if(this.isSpent){f(s,`\\u2026 ${o.length-i} more`);break}let a=o[i];this.#t-=a.length+4,f(s,y(O(a))+":"+this.#l(t,a,r))}return Yt(s,n,"}",r)}#l(t,n,r){let o=j(t,n);return o!==void 0&&j(o,"value")===void 0?this.#e("[Getter]"):this.show(t[n],r+1)}#f(t,n){let r=this.#e(je(t)),o=U(t),s=h();for(let a=0;a<o.length&&!this.isSpent;a++){let u=o[a];u==="message"||u==="stack"||u==="name"||u==="cause"||f(s,y(u)+":"+this.#l(t,u,n))}s.length>0&&(r+=" "+Yt(s,"{","}",n));let i=t.cause;return i!==void 0&&(r+=`\n  [cause]: `+this.show(i,n+1)),r}};function Yt(e,t,n,r){let o=t.length+n.length;for(let i=0;i<e.length;i++)o+=e[i].length+1;if(o<=ti||e.length===0)return t+lt(e,",")+n;let s=Ut("  ",r+1);return t+`\n`+s+lt(e,`,\n`+s)+`\n`+Ut("  ",r)+n}function ni(e){let t=j(e,"name"),n=t===void 0?"":t.value,r=V(er(e),"class"),o=typeof n=="string"&&n!==""?L(n,80):"(anonymous)";return r?`[class ${o}]`:`[Function: ${o}]`}function Qt(e,t){return new wn(t).show(e,0)}function te(e,t){let n="",r=0,o=e[0];for(typeof o=="string"&&(r=1,n=e.length>1&&v(/%[sdifjoOc%]/,o)!==null?oi(o,e,t):o,(n!==o||e.length>1)&&(r=ri(o,e)));r<e.length&&!(n.length>t);r++){let s=e[r],i=typeof s=="string"?s:Qt(s,t-n.length);n+=(r===0?"":" ")+i}return n}function ri(e,t){let n=1;for(let r=0;r<e.length-1;r++){if(e[r]!=="%")continue;let o=e[r+1];o==="%"?r++:v(/[sdifjoOc]/,o)!==null&&n<t.length&&(n++,r++)}return n}function oi(e,t,n){let r="",o=1;for(let s=0;s<e.length;s++){let i=e[s],a=e[s+1];i!=="%"||a===void 0?r+=i:a==="%"?(r+="%",s++):v(/[sdifjoOc]/,a)!==null&&o<t.length?(r+=ai(a,t[o],n),o++,s++):r+=i}return r}var{parseInt:si,parseFloat:ii}=Number;function ai(e,t,n){if(e==="c")return"";if(e==="s"&&typeof t=="string")return t;let r=typeof t=="symbol",o=typeof t=="object"||typeof t=="function";return e==="d"?r||o?"NaN":S(typeof t=="bigint"?t:+t):e==="i"?r||o?"NaN":S(si(S(t),10)):e==="f"?r||o?"NaN":S(ii(S(t))):typeof t=="string"&&e!=="j"?t:Qt(t,n)}function ee(e){return typeof e=="object"&&e!==null}var ui=16,Sn=0,Ce=!1,bt="",kn=new T,En=new T;function yt(e,t){if(Ce)return;let n=O(t);bt!==""&&(n=li(n));let r=w.limits.maxLogBytes-Sn,o=Gt(n)+ui;if(o>r){Ce=!0,r>0&&xn(e,D(n,r)),xn("warn",`[log cut: more than ${w.limits.maxLogBytes} bytes were printed]`);return}Sn+=o,xn(e,n)}function xn(e,t){let n=w.nowMs-w.startTimeMs;Z(\'{"e":"log","level":"\'+e+\'","at":\'+S(n)+\',"text":\'+y(t)+"}")}function li(e){let t=bt,n=0;for(;;){let r=P(e,`\n`,n);if(r<0)return t+b(e,n);t+=b(e,n,r+1)+bt,n=r+1}}function De(){return Ce?0:G(0,w.limits.maxLogBytes-Sn)+64}function X(e,t){Ce||yt(e,te(t,De()))}function ne(e){return e===void 0?"default":typeof e=="string"?e:Qt(e,200)}var Tn={__proto__:null,log:(...e)=>X("log",e),info:(...e)=>X("info",e),warn:(...e)=>X("warn",e),error:(...e)=>X("error",e),debug:(...e)=>X("debug",e),trace:(...e)=>{let t=new qt("");zt(t,Tn.trace);let n=je(t),r=P(n,`\n`),o=e.length===0?"Trace":"Trace: "+te(e,De());yt("debug",o+(r<0?"":b(n,r)))},assert:(e,...t)=>{e||yt("error",t.length===0?"Assertion failed":"Assertion failed: "+te(t,De()))},dir:e=>X("log",[typeof e=="string"?y(e):e]),dirxml:(...e)=>X("log",e),table:(e,t)=>ci(e,t),group:(...e)=>Qr(e),groupCollapsed:(...e)=>Qr(e),groupEnd:()=>{bt=b(bt,2)},count:e=>{let t=ne(e),n=(kn.get(t)??0)+1;kn.set(t,n),yt("log",`${t}: ${n}`)},countReset:e=>{kn.delete(ne(e))},time:e=>{En.set(ne(e),w.nowMs)},timeLog:(e,...t)=>to(ne(e),t),timeEnd:e=>{let t=ne(e);to(t,[]),En.delete(t)},timeStamp:()=>{},profile:()=>{},profileEnd:()=>{},clear:()=>{}};function Qr(e){e.length>0&&X("log",e),bt.length<40&&(bt+="  ")}function to(e,t){let n=En.get(e);if(n===void 0){yt("warn",`No timer "${e}" was started`);return}let r=t.length>0?" "+te(t,De()):"";yt("log",`${e}: ${S(w.nowMs-n)}ms${r}`)}function ci(e,t){if(!ee(e)){X("log",[e]);return}let n=U(e),r=h(),o=new _,s=!1;for(let u=0;u<n.length&&u<1e3;u++){let c=e[n[u]];if(!ee(c)){s=!0;continue}let d=U(c);for(let p=0;p<d.length&&r.length<50;p++){let l=d[p];o.has(l)||tt(t)&&!fi(t,l)||(o.add(l),f(r,l))}}let i=h();f(i,"(index)");for(let u=0;u<r.length;u++)f(i,r[u]);s&&f(i,"Values");let a=h();f(a,i);for(let u=0;u<n.length&&u<1e3;u++){let c=n[u],d=e[c],p=h();f(p,c);for(let l=0;l<r.length;l++){let R=r[l];f(p,ee(d)&&R in d?eo(d[R]):"")}s&&f(p,ee(d)?"":eo(d)),f(a,p)}yt("log",di(a))}function fi(e,t){for(let n=0;n<e.length;n++)if(e[n]===t)return!0;return!1}function eo(e){return typeof e=="string"?e:Qt(e,200)}function di(e){let t=h();for(let r=0;r<e.length;r++){let o=e[r];for(let s=0;s<o.length;s++)t[s]=G(t[s]??0,o[s].length)}let n="";for(let r=0;r<e.length;r++){let o=e[r],s="";for(let i=0;i<o.length;i++)s+=(i===0?"":" | ")+Yn(o[i],t[i]);n+=(r===0?"":`\n`)+s,r===0&&(n+=`\n`+Ut("-",s.length))}return n}function no(){let e={},t=U(Tn);for(let n=0;n<t.length;n++){let r=t[n],o=Tn[r];m(o,"name",r,{}),m(e,r,o,E)}return e}var Fe=parseInt,re=1,Ct=2,oe=3,wt=4;function On(e){re=Fe(b(e,0,8),16)|0,Ct=Fe(b(e,8,16),16)|0,oe=Fe(b(e,16,24),16)|0,wt=Fe(b(e,24,32),16)|0,(re|Ct|oe|wt)===0&&(re=1);for(let t=0;t<16;t++)vt()}function vt(){let e=nn(Ct,5),t=nn(e<<7|e>>>25,9),n=Ct<<9;return oe^=re,wt^=Ct,Ct^=oe,re^=wt,oe^=n,wt=wt<<11|wt>>>21,t>>>0}var Ie=xt(Uint8Array.prototype),pi=g(j(Ie,Symbol.toStringTag).get),gi=g(j(Ie,"buffer").get),mi=g(j(Ie,"byteOffset").get),hi=g(j(Ie,"byteLength").get),yi=Uint8Array,bi=TypeError,wi=RangeError;function ro(e){let t={random(){return((vt()>>>5)*67108864+(vt()>>>6))/9007199254740992},getRandomValues(r){let o=pi(r);if(o===void 0||o==="Float16Array"||o==="Float32Array"||o==="Float64Array")throw new bi("crypto.getRandomValues takes an integer typed array");let s=hi(r);if(s>65536)throw new wi(`crypto.getRandomValues fills at most 65536 bytes; got ${s}`);let i=new yi(gi(r),mi(r),s);for(let a=0;a<s;a++)i[a]=vt()>>>24;return r},randomUUID(){let r=()=>Xn(tn(vt(),16),8,"0"),o=r()+r()+r()+r(),s=tn(8+(vt()>>>30),16);return b(o,0,8)+"-"+b(o,8,12)+"-4"+b(o,13,16)+"-"+s+b(o,17,20)+"-"+b(o,20,32)}};m(Math,"random",t.random,E);let n=I(Object.prototype);m(n,"getRandomValues",t.getRandomValues,E),m(n,"randomUUID",t.randomUUID,E),m(e,"crypto",n,E)}var oo=["WebAssembly","SharedArrayBuffer","Atomics","WeakRef","FinalizationRegistry","ShadowRealm","console"],so=["resize","resizable","maxByteLength","transfer","transferToFixedLength","transferToImmutable","sliceToImmutable","immutable","detached"];function io(e){for(let r=0;r<oo.length;r++)delete e[oo[r]];let t=ArrayBuffer;for(let r=0;r<so.length;r++)delete t.prototype[so[r]];function n(r){if(new.target===void 0)throw new ut("Constructor ArrayBuffer requires \'new\'");return Bt(t,[r],new.target)}ve(t,n,"ArrayBuffer",1),m(e,"ArrayBuffer",n,E)}function An(e,t,n){Y(e,t,{__proto__:null,value:n,writable:!1,enumerable:!1,configurable:!1})}var ao=0;function ki(e){let t=typeof e=="string"?xi(e):e,n=Jt(t,w.limits.maxResultBytes);if(typeof t!="object"||t===null||!n.ok||n.json===void 0){if(!n.ok){rt("SHOW_DROPPED",`show(): the block is larger than ${w.limits.maxResultBytes} bytes and was dropped.`);return}throw new ut(\'show takes a content block, such as { type: "text", text: "\\u2026" }, or a string\')}if(ao+=Gt(n.json),ao>w.limits.maxResultBytes){rt("SHOW_DROPPED",`show(): more than ${w.limits.maxResultBytes} bytes in all; the block was dropped.`);return}Z(\'{"e":"show","json":\'+y(n.json)+"}")}function xi(e){return{__proto__:null,type:"text",text:e}}function Si(e,t){let n=e,r=t;typeof e=="number"?(n=typeof t=="string"?t:void 0,r=e):typeof e=="object"&&e!==null&&(n=e.message,r=e.fraction);let o=\'{"e":"progress"\';n!==void 0&&(o+=\',"message":\'+y(L(O(Ei(n)),500))),typeof r=="number"&&be(r)&&(o+=\',"fraction":\'+S(G(0,Et(1,r)))),Wr(o+"}")}function Ei(e){if(typeof e=="string")return e;let t=Jt(e,2e3);return t.ok&&t.json!==void 0?t.json:""}var Ln=(e,t)=>{if(typeof e!="string")return vn("sdk.search",\'sdk.search takes a query: sdk.search("send mail")\',Ln);let n={__proto__:null,query:e,...Rn(t,"limit")};return mt("search","sdk.search","sdk.search",n,Ln)},jn=e=>{let t=typeof e=="string"?[e]:e;return tt(t)?mt("describe","sdk.describe","sdk.describe",{__proto__:null,names:t},jn):vn("sdk.describe",\'sdk.describe takes names: sdk.describe(["tool_name"])\',jn)},Pn=(e,t)=>{if(typeof e!="string")return vn("artifacts.read",\'artifacts.read takes an id: artifacts.read("id", { offset: 0, length: 1000 })\',Pn);let n={__proto__:null,id:e,...Rn(t,"offset"),...Rn(t,"length")};return mt("artifact","artifacts.read","artifacts.read",n,Pn)};function Rn(e,t){let n=I(null);if(typeof e!="object"||e===null)return n;let r=e[t];return r!==void 0&&(n[t]=r),n}function vn(e,t,n){return Rt(gt(e,t,pt(n)))}function lo(e){m(e,"show",uo("show",r=>ki(r)),Ht),m(e,"progress",uo("progress",(r,o)=>Si(r,o)),Ht);let t=I(null);m(t,"search",Ln,{enumerable:!0}),m(t,"describe",jn,{enumerable:!0}),m(e,"sdk",Q(t),Ht);let n=I(null);m(n,"read",Pn,{enumerable:!0}),m(e,"artifacts",Q(n),Ht)}function uo(e,t){return m(t,"name",e,{}),Q(t)}var co=1e4,Me=2**31-1,se=new T,Ti=0;function _e(e,t,n,r,o){if(typeof e!="function")throw new ut(`${o} takes a function; got ${typeof e}`);if(se.size>=co)throw new sr(`more than ${co} timers are waiting`);let s=Zn(t),i=s>=1&&s<=Me?rr(s):s>Me?Me:r?1:0,a=++Ti;return se.set(a,{callback:e,args:n,ms:i,repeats:r}),gn(a,Et(Me,G(0,i))),a}function Cn(e){typeof e=="number"&&se.delete(e)&&Ur(e)}function fo(e,t){let n=se.get(e);if(n!==void 0){n.repeats?gn(e,n.ms):se.delete(e);try{A(n.callback,void 0,n.args)}catch(r){t(r)}}}function po(e,t){let n=new Wt(s=>s()),r={setTimeout:(s,i,...a)=>_e(s,i,a,!1,"setTimeout"),setInterval:(s,i,...a)=>_e(s,i,a,!0,"setInterval"),setImmediate:(s,...i)=>_e(s,0,i,!1,"setImmediate"),clearTimeout:s=>Cn(s),clearInterval:s=>Cn(s),clearImmediate:s=>Cn(s),queueMicrotask:s=>{if(typeof s!="function")throw new ut(`queueMicrotask takes a function; got ${typeof s}`);Oi(n,s,t)}},o=["setTimeout","setInterval","setImmediate","clearTimeout","clearInterval","clearImmediate","queueMicrotask"];for(let s=0;s<o.length;s++){let i=o[s];m(e,i,r[i],E)}}async function Oi(e,t,n){await e;try{A(t,void 0,[])}catch(r){n(r)}}function go(e,t){return _e(e,t,[],!1,"timer")}function ie(e){let t="",n=0;for(let r=0;r<e.length;r++)Ai(N(e,r))&&(t+=b(e,n,r),n=r+1);return Qn(n===0?e:t+b(e,n))}function Ai(e){if(e>=128)return!1;let t=e>=48&&e<=57,n=e|32;return!t&&(n<97||n>122)}function Dn(e,t){let n=ie(e),r=[];if(n.length>100)return h();for(let s=0;s<t.length&&s<2e3;s++){let i=t[s];if(i.length>100)continue;let a=ie(i),u=Li(n,a),c=n.length>=3&&(mo(a,n)||mo(n,a));(u<=G(2,n.length/3)||c)&&f(r,{name:i,score:c?u/2:u})}nr(r,(s,i)=>s.score-i.score);let o=h();for(let s=0;s<r.length&&s<3;s++)f(o,r[s].name);return o}function mo(e,t){if(t.length<3)return!1;for(let n=0;n+t.length<=e.length;n++){let r=0;for(;r<t.length&&N(e,n+r)===N(t,r);)r++;if(r===t.length)return!0}return!1}function Li(e,t){let n=h();for(let r=0;r<=t.length;r++)f(n,r);for(let r=1;r<=e.length;r++){let o=h();f(o,r);for(let s=1;s<=t.length;s++){let i=N(e,r-1)===N(t,s-1)?0:1,a=n[s-1]+i;f(o,Et(a,n[s]+1,o[s-1]+1))}n=o}return n[t.length]}var ji=50,Pi=/^(.+) is not a (?:function|constructor)/,Ri=/^Cannot (?:read|destructure) propert/,Dt=h();function ho(e,t,n){Dt.length<ji&&f(Dt,{label:e,key:t,names:n})}function yo(e,t,n){if(e!=="TypeError"||Dt.length===0)return t;let r=v(Pi,t),o=v(Ri,t)!==null;for(let s=Dt.length-1;s>=0;s--){let i=Dt[s],a=s===Dt.length-1;if(!(r!==null?vi(r[1],i.key,a):o&&a))continue;let c=Dn(i.key,i.names()),d=c.length>0?c:Dn(i.key,n()),p=d.length>0?`; nearest: ${lt(d,", ")}`:"";return`${i.label} has no ${y(L(i.key,80))}${p} (${t})`}return t}function vi(e,t,n){return P(e,t)>=0||P(e,"(intermediate value)")>=0?!0:n&&at(e,"]")}var wo=/^[A-Za-z_$][A-Za-z0-9_$]*$/,bo=new T;function It(e,t){return v(wo,t)===null?`${e}[${y(L(t,80))}]`:`${e}.${t}`}function In(e,t){let n=bo.get(e.name);if(n!==void 0)return n;let r=(...o)=>{let s=Ci(e,t,o);return s!==void 0?Rt(gt(e.name,s,pt(r))):mt("call",e.name,t,o[0],r)};return K(r,"name",e.name,!1),Q(r),bo.set(e.name,r),r}var Ft=(e,t)=>{if(typeof e!="string"){let n=`tools.full takes the tool\'s name first: await tools.full("name", { \\u2026 }); got ${Fn(e)}`;return Rt(gt("tools.full",n,pt(Ft)))}return mt("full",e,`tools.full(${y(L(e,80))}, \\u2026)`,t,Ft)};m(Ft,"name","full",{});Q(Ft);function Ci(e,t,n){let r=n[0];if(n.length===0||r===void 0||typeof r=="object"&&r!==null||typeof r=="function")return;let o=`${t} takes one object of arguments; got ${Fn(r)}.`;if(e.required.length===1&&r!==null){let i=e.required[0],a=v(wo,i)===null?y(i):i;return`${o} Write ${t}({ ${a}: ${Fn(r)} })`}let s=e.required.length===0?`${t}(), or `:"";return`${o} Write ${s}${t}({ \\u2026 }) with its properties by name`}function Fn(e){return typeof e=="string"?y(L(e,60)):typeof e=="bigint"?S(e)+"n":typeof e=="object"&&e!==null?"an object":typeof e=="function"?"a function":S(e)}var Eo=new _,ko=["then","catch","finally","toJSON","toString","toLocaleString","valueOf","constructor","prototype","__proto__","hasOwnProperty","isPrototypeOf","propertyIsEnumerable","length","name","inspect"];for(let e=0;e<ko.length;e++)Eo.add(ko[e]);var ae=()=>!1,ot=new T;function _n(e){ot=new T;for(let r=0;r<e.length;r++){let o=e[r];ot.has(o.name)||ot.set(o.name,o)}let t,n=()=>t??=Di(e);return Mn({label:"tools",find:r=>{let o=ot.get(r),s=n().members.get(r);if(o!==void 0){if(s===void 0)return In(o,Ui(o));s.binding=o}return s!==void 0?Ao(s):r==="full"?Ft:void 0},listed:Oo,hidden:()=>{let r=h();return n().members.forEach((o,s)=>{ot.has(s)||f(r,s)}),!ot.has("full")&&!n().members.has("full")&&f(r,"full"),r},spellings:r=>{ot.forEach(o=>{r(o.name,o.name),o.path.length>1&&r($i(o.path),o.name)}),n().members.forEach((o,s)=>{let i=o.binding!==void 0&&o.members.size===0;r(s,i?o.binding.name:s)})}})}function To(e,t){return yo(e,t,Oo)}function Oo(){let e=h();return ot.forEach((t,n)=>f(e,n)),e}function Di(e){let t={label:"tools",members:new T,binding:void 0,made:void 0};for(let n=0;n<e.length;n++){let r=e[n],o=t;for(let s=0;s<r.path.length;s++){let i=r.path[s],a=o.members.get(i);a===void 0&&(a={label:It(o.label,i),members:new T,binding:void 0,made:void 0},o.members.set(i,a)),o=a}o!==t&&(o.binding??=r)}return t}function Ao(e){if(e.made!==void 0)return e.made;let t=()=>{let o=h();return e.members.forEach((s,i)=>f(o,i)),o},n={label:e.label,find:o=>{let s=e.members.get(o);return s===void 0?void 0:Ao(s)},listed:t,hidden:h,spellings:o=>e.members.forEach((s,i)=>o(i,i))},{binding:r}=e;if(r===void 0)e.made=Mn(n);else{let o=In(r,e.label);e.made=e.members.size===0?o:Mn(n,o)}return e.made}function Mn(e,t){let n=t===void 0?I(null):(...i)=>A(t,void 0,i),r,o=()=>Mi(e),s=i=>{if(typeof i!="string")return i===Fi?o:void 0;let a=e.find(i);if(a!==void 0||Eo.has(i))return a;r??=Ni(e);let u=i.length>200?void 0:r.get(ie(i));if(typeof u=="string")return Bi(e.label,i,u),e.find(u);ho(e.label,i,()=>xo(e))};return new ar(n,{__proto__:null,get:(i,a)=>s(a),has:(i,a)=>typeof a=="string"&&e.find(a)!==void 0,ownKeys:()=>xo(e),getOwnPropertyDescriptor:(i,a)=>{let u=typeof a=="string"?e.find(a):void 0;if(u===void 0)return;let c=!_i(e.hidden(),a);return{__proto__:null,value:u,writable:!1,enumerable:c,configurable:!0}},set:ae,defineProperty:ae,deleteProperty:ae,setPrototypeOf:ae,preventExtensions:ae})}var{toPrimitive:Fi}=Symbol,Ii=1e3;function Mi(e){return`[${e.label}: ${L(lt(e.listed(),", "),Ii)}]`}function xo(e){let t=e.listed(),n=e.hidden();for(let r=0;r<n.length;r++)f(t,n[r]);return t}function _i(e,t){for(let n=0;n<e.length;n++)if(e[n]===t)return!0;return!1}function Ni(e){let t=new T;return e.spellings((n,r)=>{let o=ie(n),s=t.get(o);t.set(o,s===void 0||s===r?r:null)}),t}var So=new _;function Bi(e,t,n){let r=`${It(e,t)} was taken as ${It(e,n)}; use that name.`;So.has(r)||(So.add(r),rt("NAME_VARIANT",r))}function $i(e){let t="";for(let n=0;n<e.length;n++)t+=e[n];return t}function Ui(e){if(e.path.length===0)return It("tools",e.name);let t="tools";for(let n=0;n<e.path.length;n++)t=It(t,e.path[n]);return t}function kt(e){let t=[];for(let n of e.toWellFormed()){let r=n.codePointAt(0);r<128?t.push(r):r<2048?t.push(192|r>>6,128|r&63):r<65536?t.push(224|r>>12,128|r>>6&63,128|r&63):t.push(240|r>>18,128|r>>12&63,128|r>>6&63,128|r&63)}return t}function Mt(e,t=!1){let n="",r=0,o=0,s=128,i=191,a=()=>{if(t)throw new TypeError("The encoded data is not valid UTF-8");n+="\\uFFFD",r=0,s=128,i=191};for(let u=0;u<e.length;u++){let c=e[u];if(r>0){if(c<s||c>i){a(),u--;continue}s=128,i=191,o=o<<6|c&63,r--,r===0&&(n+=String.fromCodePoint(o));continue}c<128?n+=String.fromCharCode(c):c>=194&&c<=223?(r=1,o=c&31):c>=224&&c<=239?(c===224&&(s=160),c===237&&(i=159),r=2,o=c&15):c>=240&&c<=244?(c===240&&(s=144),c===244&&(i=143),r=3,o=c&7):a()}return r>0&&a(),n}var Wi="",qi=\' "<>`\',Nn=\' "#<>\',jo=Nn+"?^`{}",zi=jo+"/:;=@[\\\\]|",B={c0:Wi,fragment:qi,query:Nn,specialQuery:Nn+"\'",path:jo,userinfo:zi};function W(e,t){let n="";for(let r of e){let o=r.codePointAt(0);if(o>31&&o<127&&!t.includes(r))n+=r;else for(let s of kt(r))n+=Bn(s)}return n}function Bn(e){return"%"+(e<16?"0":"")+e.toString(16).toUpperCase()}function Ne(e){let t=kt(e),n=[];for(let r=0;r<t.length;r++){let o=t[r],s=Lo(t[r+1]),i=Lo(t[r+2]);o!==37||s<0||i<0?n.push(o):(n.push(s*16+i),r+=2)}return n}function Lo(e){if(e===void 0)return-1;if(e>=48&&e<=57)return e-48;let t=e|32;return t>=97&&t<=102?t-87:-1}var Be=class{get encoding(){return"utf-8"}encode(t=""){return new Uint8Array(kt(String(t)))}encodeInto(t,n){let r=0,o=0;for(let s of String(t)){let i=kt(s);if(o+i.length>n.length)break;n.set(i,o),o+=i.length,r+=s.length}return{read:r,written:o}}},Hi=new Map([["utf-8","utf-8"],["utf8","utf-8"],["unicode-1-1-utf-8","utf-8"],["utf-16le","utf-16le"],["utf-16","utf-16le"],["latin1","windows-1252"],["iso-8859-1","windows-1252"],["ascii","windows-1252"],["us-ascii","windows-1252"],["windows-1252","windows-1252"]]),Vi="\\u20AC\\x81\\u201A\\u0192\\u201E\\u2026\\u2020\\u2021\\u02C6\\u2030\\u0160\\u2039\\u0152\\x8D\\u017D\\x8F\\x90\\u2018\\u2019\\u201C\\u201D\\u2022\\u2013\\u2014\\u02DC\\u2122\\u0161\\u203A\\u0153\\x9D\\u017E\\u0178",$e=class{#t;#n;#e;#r=[];#s=!1;constructor(t="utf-8",n){let r=Hi.get(String(t).trim().toLowerCase());if(r===void 0)throw new RangeError(`The "${String(t)}" encoding is not supported`);this.#t=r,this.#n=!!n?.fatal,this.#e=!!n?.ignoreBOM}get encoding(){return this.#t}get fatal(){return this.#n}get ignoreBOM(){return this.#e}decode(t,n){let r=!!n?.stream,o=Ki(t);this.#r.length>0&&(o=[...this.#r,...Array.from(o)]),this.#r=[],r&&(o=this.#i(o));let s=this.#l(o);return!this.#s&&!this.#e&&s.startsWith("\\uFEFF")&&(s=s.slice(1)),this.#s=r&&(this.#s||s!==""),s}#i(t){let n=this.#t==="utf-8"?Gi(t):this.#t==="utf-16le"?t.length%2:0;if(n===0)return t;let r=Array.from(t);return this.#r=r.slice(r.length-n),r.slice(0,r.length-n)}#l(t){if(this.#t==="utf-8")return Mt(t,this.#n);let n="";if(this.#t==="utf-16le"){for(let r=0;r+1<t.length;r+=2)n+=String.fromCharCode(t[r]|t[r+1]<<8);if(t.length%2===1&&(n+="\\uFFFD"),this.#n&&(t.length%2===1||!n.isWellFormed()))throw new TypeError("The encoded data is not valid UTF-16");return n.toWellFormed()}for(let r=0;r<t.length;r++){let o=t[r];n+=o>=128&&o<=159?Vi[o-128]:String.fromCharCode(o)}return n}};function Gi(e){for(let t=1;t<=3&&t<=e.length;t++){let n=e[e.length-t];if(n<128)return 0;if(n>=192)return(n>=240?4:n>=224?3:2)>t?t:0}return 0}function Ki(e){if(e===void 0)return new Uint8Array(0);if(ArrayBuffer.isView(e))return new Uint8Array(e.buffer,e.byteOffset,e.byteLength);if(e instanceof ArrayBuffer)return new Uint8Array(e);throw new TypeError("TextDecoder.decode takes an ArrayBuffer or a view of one")}var ue="ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";function Po(e){let t=String(e),n="";for(let r=0;r<t.length;r+=3){let o=[t.charCodeAt(r),t.charCodeAt(r+1),t.charCodeAt(r+2)];if(o.some(a=>a>255))throw new $("btoa takes characters up to U+00FF; encode the text first","InvalidCharacterError");let s=t.length-r,i=o[0]<<16|(s>1?o[1]:0)<<8|(s>2?o[2]:0);n+=ue[i>>18]+ue[i>>12&63],n+=(s>1?ue[i>>6&63]:"=")+(s>2?ue[i&63]:"=")}return n}function Ro(e){let t=String(e).replace(/[\\t\\n\\f\\r ]/g,"");if(t.length%4===0&&(t=t.replace(/={1,2}$/,"")),t.length%4===1||/[^A-Za-z0-9+/]/.test(t))throw new $("The string to be decoded is not correctly encoded.","InvalidCharacterError");let n="",r=0,o=0;for(let s of t)r=r<<6|ue.indexOf(s),o+=6,!(o<8)&&(o-=8,n+=String.fromCharCode(r>>o&255),r&=(1<<o)-1);return n}var Ji={InvalidCharacterError:5,AbortError:20,TimeoutError:23,DataCloneError:25},$=class extends Error{#t;constructor(t="",n="Error"){super(String(t)),this.#t=typeof n=="string"?n:"Error"}get name(){return this.#t}get code(){return Ji[this.#t]??0}};var vo,ce=class{type;bubbles;cancelable;timeStamp;#t=!1;#n=!1;#e=null;static{vo=(t,n,r)=>{t.#e=n;for(let o of r){if(t.#n)break;o(t)}return!t.#t}}constructor(t,n){this.type=String(t),this.bubbles=!!n?.bubbles,this.cancelable=!!n?.cancelable,this.timeStamp=performance.now()}get target(){return this.#e}get currentTarget(){return this.#e}get defaultPrevented(){return this.#t}preventDefault(){this.cancelable&&(this.#t=!0)}stopPropagation(){}stopImmediatePropagation(){this.#n=!0}},fe=class{#t=[];addEventListener(t,n,r){if(n==null)return;let o=String(t),s=typeof r=="object"&&!!r.once,i=typeof r=="object"?r.signal:void 0;i?.aborted||this.#t.some(a=>a.type===o&&a.listener===n)||(this.#t.push({type:o,listener:n,isOnce:s}),i?.addEventListener("abort",()=>this.removeEventListener(o,n),{once:!0}))}removeEventListener(t,n){let r=String(t);this.#t=this.#t.filter(o=>o.type!==r||o.listener!==n)}dispatchEvent(t){let n=this.#t.filter(r=>r.type===t.type);return vo(t,this,n.map(r=>o=>{this.#t.includes(r)&&(r.isOnce&&(this.#t=this.#t.filter(s=>s!==r)),Co(()=>{typeof r.listener=="function"?r.listener.call(this,o):r.listener.handleEvent(o)}))}))}};function Co(e){try{e()}catch(t){Do(()=>{throw t})}}var Do=()=>{};function Fo(e){Do=e}var le,_t,$n=!1,Ue=class e extends fe{#t=!1;#n=void 0;onabort=null;static{le=()=>{$n=!0;try{return new e}finally{$n=!1}},_t=(t,n)=>{if(t.#t)return;t.#t=!0,t.#n=n===void 0?new $("This operation was aborted","AbortError"):n;let r=new ce("abort"),{onabort:o}=t;typeof o=="function"&&Co(()=>o.call(t,r)),t.dispatchEvent(r)}}constructor(){if(super(),!$n)throw new TypeError("Illegal constructor")}get aborted(){return this.#t}get reason(){return this.#n}throwIfAborted(){if(this.#t)throw this.#n}static abort(t){let n=le();return _t(n,t),n}static timeout(t){let n=le(),r="The operation was aborted due to timeout";return go(()=>_t(n,new $(r,"TimeoutError")),Number(t)),n}static any(t){let n=[...t],r=le();for(let o of n)if(o.aborted)return _t(r,o.reason),r;for(let o of n)o.addEventListener("abort",()=>_t(r,o.reason),{once:!0});return r}},We=class{#t=le();get signal(){return this.#t}abort(t){_t(this.#t,t)}};var Zi={Error,EvalError,RangeError,ReferenceError,SyntaxError,TypeError,URIError};function Mo(e){let t=new Map,n=[],r=u=>{if(typeof u=="function"||typeof u=="symbol")throw new $(`${Io(u)} could not be cloned.`,"DataCloneError");if(typeof u!="object"||u===null)return u;let c=t.get(u);if(c!==void 0)return c;let d=o(u);return t.set(u,d),d},o=u=>{switch(Tt(u)){case"array":{let c=[];return c.length=u.length,n.push(()=>s(u,c)),c}case"date":return new Date(u.getTime());case"regexp":return new RegExp(u.source,u.flags);case"map":{let c=new Map;return n.push(()=>{for(let[d,p]of Array.from(u))c.set(r(d),r(p))}),c}case"set":{let c=new Set;return n.push(()=>{for(let d of Array.from(u))c.add(r(d))}),c}case"buffer":return u.slice(0);case"bytes":return Xi(u);case"error":return i(u);case"boxed":return Object(ft(u));case"promise":case"weak":throw new $(`${Io(u)} could not be cloned.`,"DataCloneError");case"plain":case"instance":{if(u instanceof DataView)return new DataView(u.buffer.slice(u.byteOffset,u.byteOffset+u.byteLength));let c={};return n.push(()=>s(u,c)),c}}},s=(u,c)=>{for(let d of Object.keys(u))Object.defineProperty(c,d,{value:r(u[d]),writable:!0,enumerable:!0,configurable:!0})},i=u=>{let c=Zi[u.name]??Error,d=new c(u.message);return Object.defineProperty(d,"stack",{value:u.stack,writable:!0,configurable:!0}),"cause"in u&&n.push(()=>{Object.defineProperty(d,"cause",{value:r(u.cause),writable:!0,configurable:!0})}),d},a=r(e);for(let u=n.pop();u!==void 0;u=n.pop())u();return a}function Xi(e){let t=e.constructor;return new t(e.buffer.slice(e.byteOffset,e.byteOffset+e.byteLength))}function Io(e){return typeof e=="function"?`The function ${e.name||"(anonymous)"}`:typeof e=="symbol"?String(e):`#<${e.constructor?.name??"Object"}>`}var Yi=/[\\u0000\\t\\n\\r #/:<>?@[\\\\\\]^|]/,Qi=/[\\u0000-\\u0020"#%/:<>?@[\\\\\\]^`{|}\\u007f]/;function qe(e,t){if(e.startsWith("[")){if(!e.endsWith("]"))return null;let o=ua(e.slice(1,-1));return o===null?null:`[${la(o)}]`}if(t)return Yi.test(e)?null:W(e,B.c0);let n=ta(Mt(Ne(e)));if(n===null||n===""||Qi.test(n))return null;if(!oa(n))return n;let r=sa(n);return r===null?null:aa(r)}function ta(e){let t=e.replace(/\\u00ad|\\u200b|\\u2060|\\ufeff|[\\u180b-\\u180d]|[\\ufe00-\\ufe0f]/g,"").toLowerCase().normalize("NFKC").toLowerCase().replace(/[\\u3002\\uff0e\\uff61]/g,"."),n=[];for(let r of t.split(".")){if(/^[\\u0000-\\u007f]*$/.test(r)){if(r.startsWith("xn--")&&!ea(r.slice(4)))return null;n.push(r);continue}if(r.includes("\\uFFFD"))return null;let o=na(Array.from(r,s=>s.codePointAt(0)));if(o===null)return null;n.push("xn--"+o)}return n.join(".")}function ea(e){return e!==""&&/^[a-z0-9-]+$/.test(e)&&!e.endsWith("-")}function na(e){let t=e.filter(u=>u<128),n=String.fromCharCode(...t),r=t.length;r>0&&(n+="-");let o=128,s=0,i=72,a=!0;for(;r<e.length;){let u=1/0;for(let c of e)c>=o&&c<u&&(u=c);if(s+=(u-o)*(r+1),s>2147483647)return null;o=u;for(let c of e){if(c<o&&s++,c!==o)continue;let d=s;for(let p=36;;p+=36){let l=p<=i?1:p>=i+26?26:p-i;if(d<l)break;n+=_o(l+(d-l)%(36-l)),d=Math.floor((d-l)/(36-l))}n+=_o(d),i=ra(s,r+1,a),a=!1,s=0,r++}s++,o++}return n}function _o(e){return String.fromCharCode(e<26?e+97:e+22)}function ra(e,t,n){let r=Math.floor(n?e/700:e/2);r+=Math.floor(r/t);let o=0;for(;r>455;o+=36)r=Math.floor(r/35);return o+Math.floor(36*r/(r+38))}function oa(e){let t=e.split(".");if(t.at(-1)===""){if(t.length===1)return!1;t.pop()}let n=t.at(-1);return/^[0-9]+$/.test(n)||/^0[xX][0-9A-Fa-f]*$/.test(n)}function sa(e){let t=e.split(".");if(t.at(-1)===""&&t.length>1&&t.pop(),t.length>4)return null;let n=[];for(let s of t){let i=ia(s);if(i===null)return null;n.push(i)}let r=n.pop();if(n.some(s=>s>255)||r>=256**(4-n.length))return null;let o=r;return n.forEach((s,i)=>o+=s*256**(3-i)),o}function ia(e){if(e==="")return null;if(/^0[xX]/.test(e)){let t=e.slice(2);return t===""?0:/^[0-9A-Fa-f]+$/.test(t)?parseInt(t,16):null}return e.length>1&&e.startsWith("0")?/^[0-7]+$/.test(e)?parseInt(e,8):null:/^[0-9]+$/.test(e)?Number(e):null}function aa(e){return[24,16,8,0].map(t=>Math.floor(e/2**t)%256).join(".")}function ua(e){let t=[0,0,0,0,0,0,0,0],n=0,r=null,o=0;if(e.startsWith(":")){if(e[1]!==":")return null;o=2,n++,r=n}for(;o<e.length;){if(n===8)return null;if(e[o]===":"){if(r!==null)return null;o++,n++,r=n;continue}let s=0,i=0;for(;i<4&&o<e.length&&/[0-9A-Fa-f]/.test(e[o]);)s=s*16+parseInt(e[o],16),o++,i++;if(e[o]==="."){if(i===0||n>6)return null;let a=e.slice(o-i).split(".");if(a.length!==4)return null;let u=a.map(c=>/^(0|[1-9][0-9]{0,2})$/.test(c)?Number(c):256);if(u.some(c=>c>255))return null;t[n++]=u[0]*256+u[1],t[n++]=u[2]*256+u[3];break}if(e[o]===":"){if(o++,o===e.length)return null}else if(o<e.length)return null;t[n++]=s}if(r!==null){let s=n-r,i=7;for(;i!==0&&s>0;){let a=r+s-1;[t[i],t[a]]=[t[a],t[i]],i--,s--}}else if(n!==8)return null;return t}function la(e){let t=-1,n=1;for(let o=0;o<8;o++){let s=0;for(;o+s<8&&e[o+s]===0;)s++;s>n&&(t=o,n=s)}if(t<0)return e.map(o=>o.toString(16)).join(":");let r=o=>o.map(s=>s.toString(16)).join(":");return`${r(e.slice(0,t))}::${r(e.slice(t+n))}`}var ze=new Map([["ftp",21],["file",null],["http",80],["https",443],["ws",80],["wss",443]]);function Nt(e){return ze.has(e.scheme)}var ca="",fa=/^[A-Za-z]$/,da=/^[A-Za-z0-9]$/,pa=/^[0-9]$/,Wn=e=>/^[A-Za-z][:|]$/.test(e),$o=e=>/^[A-Za-z]:$/.test(e);function No(e,t){return e.length-t<2||!Wn(e[t]+e[t+1])?!1:e.length-t===2||["/","\\\\","?","#"].includes(e[t+2])}var ga=e=>e==="."||e.toLowerCase()==="%2e",ma=e=>["..",".%2e","%2e.","%2e%2e"].includes(e.toLowerCase());function Un(e){let t=e.path;e.scheme==="file"&&t.length===1&&$o(t[0])||t.pop()}function ha(){return{scheme:"",username:"",password:"",host:null,port:null,path:[],query:null,fragment:null}}function de(e,t,n=ha(),r){let o=e.toWellFormed();r===void 0&&(o=o.replace(/^[\\u0000-\\u0020]+|[\\u0000-\\u0020]+$/g,"")),o=o.replace(/[\\t\\n\\r]/g,"");let s=Array.from(o),i=r??"scheme start",a="",u=!1,c=!1,d=!1;for(let p=0;;p++){let l=s[p]??ca,R=p>=s.length,x=Nt(n),F=k=>s.slice(p+1,p+1+k.length).join("")===k;switch(i){case"scheme start":if(fa.test(l))a+=l.toLowerCase(),i="scheme";else if(r===void 0)i="no scheme",p--;else return null;break;case"scheme":if(da.test(l)||l==="+"||l==="-"||l===".")a+=l.toLowerCase();else if(l===":"){if(r!==void 0)return x!==ze.has(a)||(n.username!==""||n.password!==""||n.port!==null)&&a==="file"||n.scheme==="file"&&(n.host===null||n.host==="")?null:(n.scheme=a,n.port===ze.get(n.scheme)&&(n.port=null),n);n.scheme=a,a="",n.scheme==="file"?i="file":Nt(n)&&t!==null&&t.scheme===n.scheme?i="special relative or authority":Nt(n)?i="special authority slashes":F("/")?(i="path or authority",p++):(n.path="",i="opaque path")}else if(r===void 0)a="",i="no scheme",p=-1;else return null;break;case"no scheme":if(t===null||typeof t.path=="string"&&l!=="#")return null;typeof t.path=="string"&&l==="#"?(Object.assign(n,{...t,fragment:""}),i="fragment"):(i=t.scheme==="file"?"file":"relative",p--);break;case"special relative or authority":l==="/"&&F("/")?(i="special authority ignore slashes",p++):(i="relative",p--);break;case"path or authority":l==="/"?i="authority":(i="path",p--);break;case"relative":{let k=t;n.scheme=k.scheme,l==="/"||Nt(n)&&l==="\\\\"?i="relative slash":(Bo(n,k),n.path=[...k.path],n.query=k.query,l==="?"?(n.query="",i="query"):l==="#"?(n.fragment="",i="fragment"):R||(n.query=null,Un(n),i="path",p--));break}case"relative slash":x&&(l==="/"||l==="\\\\")?i="special authority ignore slashes":l==="/"?i="authority":(Bo(n,t),i="path",p--);break;case"special authority slashes":l==="/"&&F("/")?p++:p--,i="special authority ignore slashes";break;case"special authority ignore slashes":l!=="/"&&l!=="\\\\"&&(i="authority",p--);break;case"authority":if(l==="@"){u&&(a="%40"+a),u=!0;for(let k of a){if(k===":"&&!d){d=!0;continue}let q=W(k,B.userinfo);d?n.password+=q:n.username+=q}a=""}else if(R||l==="/"||l==="?"||l==="#"||x&&l==="\\\\"){if(u&&a==="")return null;p-=Array.from(a).length+1,a="",i="host"}else a+=l;break;case"host":case"hostname":if(r!==void 0&&n.scheme==="file")p--,i="file host";else if(l===":"&&!c){if(a===""||r==="hostname")return null;let k=qe(a,!x);if(k===null)return null;n.host=k,a="",i="port"}else if(R||l==="/"||l==="?"||l==="#"||x&&l==="\\\\"){if(p--,x&&a==="")return null;let k=n.username!==""||n.password!==""||n.port!==null;if(r!==void 0&&a===""&&k)return null;let q=qe(a,!x);if(q===null)return null;if(n.host=q,a="",i="path start",r!==void 0)return n}else l==="["&&(c=!0),l==="]"&&(c=!1),a+=l;break;case"port":if(pa.test(l))a+=l;else if(R||l==="/"||l==="?"||l==="#"||x&&l==="\\\\"||r!==void 0){if(a!==""){let k=Number(a);if(k>65535)return null;if(n.port=ze.get(n.scheme)===k?null:k,a="",r!==void 0)return n}if(r!==void 0)return null;i="path start",p--}else return null;break;case"file":n.scheme="file",n.host="",l==="/"||l==="\\\\"?i="file slash":t!==null&&t.scheme==="file"?(n.host=t.host,n.path=[...t.path],n.query=t.query,l==="?"?(n.query="",i="query"):l==="#"?(n.fragment="",i="fragment"):R||(n.query=null,No(s,p)?n.path=[]:Un(n),i="path",p--)):(i="path",p--);break;case"file slash":if(l==="/"||l==="\\\\")i="file host";else{if(t!==null&&t.scheme==="file"){n.host=t.host;let k=t.path[0];!No(s,p)&&k!==void 0&&$o(k)&&n.path.push(k)}i="path",p--}break;case"file host":if(R||l==="/"||l==="\\\\"||l==="?"||l==="#")if(p--,r===void 0&&Wn(a))i="path";else if(a===""){if(n.host="",r!==void 0)return n;i="path start"}else{let k=qe(a,!x);if(k===null)return null;if(n.host=k==="localhost"?"":k,r!==void 0)return n;a="",i="path start"}else a+=l;break;case"path start":x?(i="path",l!=="/"&&l!=="\\\\"&&p--):r===void 0&&l==="?"?(n.query="",i="query"):r===void 0&&l==="#"?(n.fragment="",i="fragment"):R?r!==void 0&&n.host===null&&n.path.push(""):(i="path",l!=="/"&&p--);break;case"path":{let k=l==="/"||x&&l==="\\\\";if(R||k||r===void 0&&(l==="?"||l==="#")){let q=n.path;ma(a)?(Un(n),k||q.push("")):ga(a)?k||q.push(""):(n.scheme==="file"&&q.length===0&&Wn(a)&&(a=a[0]+":"),q.push(a)),a="",l==="?"&&(n.query="",i="query"),l==="#"&&(n.fragment="",i="fragment")}else a+=W(l,B.path);break}case"opaque path":l==="?"?(n.query="",i="query"):l==="#"?(n.fragment="",i="fragment"):l===" "?n.path+=F("?")||F("#")?"%20":" ":R||(n.path+=W(l,B.c0));break;case"query":r===void 0&&l==="#"||R?(n.query+=W(a,x?B.specialQuery:B.query),a="",l==="#"&&(n.fragment="",i="fragment")):a+=l;break;case"fragment":R||(n.fragment+=W(l,B.fragment));break}if(R&&p>=s.length)return n}}function Bo(e,t){e.username=t.username,e.password=t.password,e.host=t.host,e.port=t.port}function He(e){return typeof e.path=="string"?e.path:e.path.map(t=>"/"+t).join("")}function qn(e){let t=e.scheme+":";return e.host!==null?(t+="//",(e.username!==""||e.password!=="")&&(t+=e.username+(e.password===""?"":":"+e.password)+"@"),t+=e.host+(e.port===null?"":":"+e.port)):typeof e.path!="string"&&e.path.length>1&&e.path[0]===""&&(t+="/."),t+=He(e),e.query!==null&&(t+="?"+e.query),e.fragment!==null&&(t+="#"+e.fragment),t}var Ge=class e{#t;#n;constructor(t,n){let r=Ve(t,n);if(r===null)throw Uo(t,n);this.#t=r,this.#n=new pe(r.query??""),Ho(this.#n,o=>{this.#t.query=o===""?null:o})}static canParse(t,n){return Ve(t,n)!==null}static parse(t,n){return Ve(t,n)===null?null:new e(t,n)}get href(){return qn(this.#t)}set href(t){let n=Ve(t,void 0);if(n===null)throw Uo(t,void 0);Object.assign(this.#t,n),this.#s()}get origin(){let{scheme:t,host:n,port:r}=this.#t;if(t==="blob"){let o=de(He(this.#t),null);return o!==null&&(o.scheme==="http"||o.scheme==="https")?new e(qn(o)).origin:"null"}return!Nt(this.#t)||t==="file"?"null":`${t}://${n}${r===null?"":":"+r}`}get protocol(){return this.#t.scheme+":"}set protocol(t){this.#r(String(t)+":","scheme start")}get username(){return this.#t.username}set username(t){this.#e()&&(this.#t.username=W(String(t).toWellFormed(),B.userinfo))}get password(){return this.#t.password}set password(t){this.#e()&&(this.#t.password=W(String(t).toWellFormed(),B.userinfo))}get host(){let{host:t,port:n}=this.#t;return t===null?"":t+(n===null?"":":"+n)}set host(t){typeof this.#t.path!="string"&&this.#r(String(t),"host")}get hostname(){return this.#t.host??""}set hostname(t){typeof this.#t.path!="string"&&this.#r(String(t),"hostname")}get port(){return this.#t.port===null?"":String(this.#t.port)}set port(t){this.#e()&&(String(t)===""?this.#t.port=null:this.#r(String(t),"port"))}get pathname(){return He(this.#t)}set pathname(t){typeof this.#t.path!="string"&&(this.#t.path=[],this.#r(String(t),"path start"))}get search(){return this.#t.query===null||this.#t.query===""?"":"?"+this.#t.query}set search(t){let n=String(t);n===""?this.#t.query=null:(this.#t.query="",this.#r(n.startsWith("?")?n.slice(1):n,"query")),this.#s()}get searchParams(){return this.#n}get hash(){return this.#t.fragment===null||this.#t.fragment===""?"":"#"+this.#t.fragment}set hash(t){let n=String(t);if(n===""){this.#t.fragment=null;return}this.#t.fragment="",this.#r(n.startsWith("#")?n.slice(1):n,"fragment")}toString(){return this.href}toJSON(){return this.href}#e(){return this.#t.host!==null&&this.#t.host!==""&&this.#t.scheme!=="file"}#r(t,n){let r={...this.#t,path:Array.isArray(this.#t.path)?[...this.#t.path]:this.#t.path};(de(t,null,r,n)!==null||n==="host")&&Object.assign(this.#t,r)}#s(){Vo(this.#n,Go(this.#t.query??""))}};function Ve(e,t){let n=null;return t!==void 0&&(n=de(C(t),null),n===null)?null:de(String(e),n)}function Uo(e,t){let n=new TypeError("Invalid URL");return Object.defineProperties(n,{code:{value:"ERR_INVALID_URL",writable:!0,enumerable:!0,configurable:!0},input:{value:String(e),writable:!0,enumerable:!0,configurable:!0}}),t!==void 0&&Object.defineProperty(n,"base",{value:C(t),enumerable:!0}),n}var Ho,Vo,pe=class{#t=[];#n;static{Ho=(t,n)=>{t.#n=n},Vo=(t,n)=>{t.#t=n}}constructor(t=""){if(typeof t=="object"&&t!==null)if(typeof t[Symbol.iterator]=="function")for(let r of t){let o=[...r];if(o.length!==2)throw new TypeError("Each query pair must be an iterable [name, value] tuple");this.#t.push([C(o[0]),C(o[1])])}else for(let r of Object.keys(t))this.#t.push([C(r),C(t[r])]);else{let n=C(t);this.#t=Go(n.startsWith("?")?n.slice(1):n)}}get size(){return this.#t.length}append(t,n){this.#t.push([C(t),C(n)]),this.#e()}delete(t,n){this.#t=this.#t.filter(r=>!Wo(r,t,n)),this.#e()}get(t){return this.#t.find(n=>n[0]===C(t))?.[1]??null}getAll(t){return this.#t.filter(n=>n[0]===C(t)).map(n=>n[1])}has(t,n){return this.#t.some(r=>Wo(r,t,n))}set(t,n){let r=C(t),o=this.#t.find(s=>s[0]===r);o===void 0?this.#t.push([r,C(n)]):(o[1]=C(n),this.#t=this.#t.filter(s=>s===o||s[0]!==r)),this.#e()}sort(){this.#t.sort((t,n)=>t[0]<n[0]?-1:t[0]>n[0]?1:0),this.#e()}forEach(t,n){for(let[r,o]of this.#t)t.call(n,o,r,this)}*entries(){for(let t=0;t<this.#t.length;t++)yield[...this.#t[t]]}*keys(){for(let[t]of this.entries())yield t}*values(){for(let[,t]of this.entries())yield t}[Symbol.iterator](){return this.entries()}toString(){return this.#t.map(([t,n])=>zo(t)+"="+zo(n)).join("&")}toJSON(){return this.toString()}#e(){this.#n?.(this.toString())}};function Wo(e,t,n){return e[0]===C(t)&&(n===void 0||e[1]===C(n))}function C(e){return String(e).toWellFormed()}function Go(e){let t=[];for(let n of e.split("&")){if(n==="")continue;let r=n.indexOf("="),o=r<0?n:n.slice(0,r);t.push([qo(o),r<0?"":qo(n.slice(r+1))])}return t}function qo(e){return Mt(Ne(e.replaceAll("+"," ")))}function zo(e){let t="";for(let n of kt(e)){let r=String.fromCharCode(n);t+=n===32?"+":/[A-Za-z0-9*\\-._]/.test(r)?r:Bn(n)}return t}var zn={AbortController:We,AbortSignal:Ue,DOMException:$,Event:ce,EventTarget:fe,TextDecoder:$e,TextEncoder:Be,URL:Ge,URLSearchParams:pe,atob:Ro,btoa:Po,structuredClone:Mo};function Ko(e){let t=Object.keys(zn);for(let r=0;r<t.length;r++){let o=t[r];m(zn[o],"name",o,{configurable:!0}),m(e,o,zn[o],E)}let{queueMicrotask:n}=e;Fo(n)}var H=globalThis,it="",Jo=!1,st,Ke=0;Nr();io(H);Jr(H);ro(H);po(H,Je);Ko(H);lo(H);m(H,"ToolError",dt,E);An(H,"console",no());function Hn(e){it===""&&(it=e)}function Je(e){it===""&&Hn(_r(Ir(e,To)))}function ya(e){let t=et(e);w.limits=t.limits,w.startTimeMs=t.startTimeMs,w.nowMs=t.startTimeMs,sn(t.places),On(t.seed),Zr(H,t.code),An(H,"tools",_n(t.bindings));let n;try{n=rn(t.code+`\n//# sourceURL=program.js`)}catch(r){return Je(r),Pe(r)&&r.constructor===ir?"syntax":""}return ba(n),""}async function ba(e){try{let t=typeof e=="function"?await A(e,void 0,[]):e,n=await fn(t,w.limits.maxResultBytes);for(let r=0;r<n.notices.length;r++)rt("RESULT_CHANGED",n.notices[r]);if(n.ok)Hn(\'{"s":"returned"\'+(n.json===void 0?"":\',"json":\'+y(n.json))+"}");else{let r=`The program returned more than ${w.limits.maxResultBytes} bytes.`;Hn(\'{"s":"stopped","why":"output","message":\'+y(r)+"}")}}catch(t){Je(t)}}function wa(e){if(e!==""&&(st=et(e),Ke=0,qr(),st.nowMs>w.nowMs&&(w.nowMs=st.nowMs)),st===void 0)return;let t=st.items;for(;Ke<t.length;){let n=t[Ke++];if(n.t!=="timer")Hr(n.n,n.t==="ok",n.json);else if(fo(n.id,Je),Ke<t.length)return}st=void 0}function ka(e){if(e==="")return;let t=P(e,`\n`),n=t<0?e:b(e,0,t),r=Xt(b(e,n.length)),o=P(r,`\n`),s=o<0?r:b(r,0,o),i=D(O(n),xa)+(s===""?"":" "+we(s));if(Zo.has(i))return;Zo.add(i);let a=`a promise was rejected while nothing waited for it: ${i}. The run went on.`;rt("REJECTION_UNHANDLED",`${a} Unless something awaits it later, its error is lost: await the promise, or catch`)}var xa=1024,Zo=new _;function Sa(e){if(e==="last"&&(st=void 0),st!==void 0)return">";let t=mn();if(t.more)return"+"+t.events;let n=it===""?\'{"s":"waiting"}\':it;return it!==""&&!Jo&&(Jo=!0,V(it,\'{"s":"returned"\')&&(it=\'{"s":"returned"}\')),"="+n.length+":"+n+t.events}function Ea(){et("{}"),On("00000000000000000000000000000000"),_n([]),sn(void 0),rn("(() => async () => {})()"),fn(0,64),mn()}Ea();var ge=I(null);ge.start=ya;ge.deliver=wa;ge.drain=Sa;ge.reject=ka;var Ta=ge;return ns(Oa);})();\nreturn guest.default})()\n';

// child/main.ts
var import_node_util = require("node:util");
var import_node_v8 = require("node:v8");

// child/port.ts
var import_node_fs = require("node:fs");
function createFilePort(input, output) {
  return {
    read: (buffer, offset, length) => again(() => (0, import_node_fs.readSync)(input, buffer, offset, length, null)),
    write(buffer) {
      let written = 0;
      while (written < buffer.length) {
        written += again(() => (0, import_node_fs.writeSync)(output, buffer, written, buffer.length - written));
      }
    }
  };
}
var pause = new Int32Array(new SharedArrayBuffer(4));
function again(operation) {
  for (; ; ) {
    try {
      return operation();
    } catch (thrown) {
      const code = thrown.code;
      if (code !== "EAGAIN") throw thrown;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

// wire.ts
var FRAME_HEADER_BYTES = 9;
var HOST_FRAME = { start: 1, deliver: 2, discard: 3, prepare: 4 };
var CHILD_FRAME = { ready: 65, part: 66, slice: 67, fatal: 68 };
var PART_BYTES = 48 * 1024;
var WIRE_VERSION = 1;

// child/frames.ts
var CHUNK_BYTES = 64 * 1024;
function createFrameReader(port, maxFrameBytes) {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let start = 0;
  let end = 0;
  const fill = (wanted) => {
    if (end - start >= wanted) return true;
    if (start + wanted > CHUNK_BYTES) {
      chunk.copyWithin(0, start, end);
      end -= start;
      start = 0;
    }
    while (end - start < wanted) {
      const read = port.read(chunk, end, CHUNK_BYTES - end);
      if (read === 0) return false;
      end += read;
    }
    return true;
  };
  return {
    next() {
      if (start === end) start = end = 0;
      if (!fill(FRAME_HEADER_BYTES)) return void 0;
      const length = chunk.readUInt32LE(start);
      const type = chunk.readUInt8(start + 4);
      const run = chunk.readUInt32LE(start + 5);
      if (length > maxFrameBytes)
        throw new RangeError(`a frame of ${length} bytes is over the limit of ${maxFrameBytes}`);
      start += FRAME_HEADER_BYTES;
      if (length <= CHUNK_BYTES - FRAME_HEADER_BYTES) {
        if (!fill(length)) return void 0;
        const body = chunk.toString("utf8", start, start + length);
        start += length;
        return { type, run, body };
      }
      const whole = Buffer.allocUnsafe(length);
      let filled = chunk.copy(whole, 0, start, end);
      start = end = 0;
      while (filled < length) {
        const read = port.read(whole, filled, length - filled);
        if (read === 0) return void 0;
        filled += read;
      }
      return { type, run, body: whole.toString("utf8") };
    }
  };
}
function createFrameWriter(port) {
  let buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  return (type, run, body) => {
    const most = FRAME_HEADER_BYTES + body.length * 3;
    const target = most <= CHUNK_BYTES ? buffer : Buffer.allocUnsafe(FRAME_HEADER_BYTES + Buffer.byteLength(body));
    const length = target.write(body, FRAME_HEADER_BYTES);
    target.writeUInt32LE(length, 0);
    target.writeUInt8(type, 4);
    target.writeUInt32LE(run, 5);
    port.write(target.subarray(0, FRAME_HEADER_BYTES + length));
  };
}

// child/isolate.ts
var import_node_module = require("node:module");

// child/prelude-cache.ts
var import_node_vm = require("node:vm");
var FILE = "prelude";
var START = JSON.stringify({
  code: '(() => async () => {"use strict";\nconst r = await tools.x({ a: [1] }); console.log(r); return r\n})()',
  bindings: [{ name: "x", path: ["x"], required: [] }],
  limits: { memoryMb: 8, maxPendingCalls: 8, maxLogBytes: 1024, maxResultBytes: 1024, maxValueBytes: 1024 },
  places: { table: "", ownSuffix: "_x" },
  seed: "0".repeat(32),
  startTimeMs: 0,
  sliceMs: 1e3
});
var DELIVERY = JSON.stringify({ nowMs: 1, sliceMs: 1e3, items: [{ t: "ok", n: 1, json: '{"n":1}' }] });
function compilePrelude(guestCode) {
  const script = new import_node_vm.Script(guestCode, { filename: FILE });
  const context = (0, import_node_vm.createContext)({}, { microtaskMode: "afterEvaluate" });
  const tick = new import_node_vm.Script("0");
  try {
    const prelude = script.runInContext(context);
    prelude.start(START);
    prelude.drain("");
    prelude.deliver(DELIVERY);
    tick.runInContext(context);
    prelude.drain("");
  } catch {
  }
  const data = script.createCachedData();
  const copy = new ArrayBuffer(data.length);
  new Uint8Array(copy).set(data);
  return copy;
}

// child/isolate.ts
var MAX_REJECTION_CHARS = 16 * 1024;
var TIMED_OUT = "Script execution timed out.";
var SYNTAX_FILE = "program.js";
function loadIvm(path) {
  const require2 = (0, import_node_module.createRequire)(moduleUrl);
  const loaded = require2(path);
  if (!path.endsWith(".node")) return loaded;
  return loaded.ivm;
}
function createIsolateSource(ivm, guestCode) {
  let codeCache;
  return {
    create(memoryMb) {
      const isolate = new ivm.Isolate({ memoryLimit: memoryMb });
      const context = isolate.createContextSync();
      codeCache ??= new ivm.ExternalCopy(compilePrelude(guestCode));
      const script = isolate.compileScriptSync(guestCode, { filename: "prelude", cachedData: codeCache });
      const api = script.runSync(context, { reference: true });
      const take = (name) => api.getSync(name, { reference: true });
      return new GuestIsolate(isolate, {
        start: take("start"),
        deliver: take("deliver"),
        drain: take("drain"),
        reject: take("reject")
      });
    }
  };
}
var GuestIsolate = class {
  #isolate;
  #api;
  constructor(isolate, api) {
    this.#isolate = isolate;
    this.#api = api;
  }
  /** Calls one function of the prelude, microtasks included, for at most `timeoutMs`. */
  step(name, argument, timeoutMs) {
    const startedAt = performance.now();
    try {
      const value = this.#api[name].applySync(void 0, [argument], { timeout: timeoutMs });
      return { end: "ok", value: typeof value === "string" || typeof value === "boolean" ? value : "" };
    } catch (thrown) {
      if (this.#isolate.isDisposed) return { end: "memory" };
      const isTimeOut = thrown instanceof Error && thrown.message === TIMED_OUT;
      if (isTimeOut && performance.now() - startedAt >= timeoutMs - 1) return { end: "time" };
      return { end: "ok", value: "", rejection: describeRejection(thrown) };
    }
  }
  /** Why `code` does not compile, with its place in it; undefined when it does. Runs nothing. */
  syntaxProblem(code) {
    try {
      this.#isolate.compileScriptSync(code, { filename: SYNTAX_FILE }).release();
      return void 0;
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message.slice(0, 4096) : "SyntaxError";
    }
  }
  get cpuMs() {
    try {
      return Number(this.#isolate.cpuTime / 1000n) / 1e3;
    } catch {
      return 0;
    }
  }
  dispose() {
    if (!this.#isolate.isDisposed) this.#isolate.dispose();
  }
};
function describeRejection(thrown) {
  if (typeof thrown === "string") return JSON.stringify(thrown.slice(0, MAX_REJECTION_CHARS));
  if (!(thrown instanceof Error)) return thrown === void 0 || thrown === null ? "no value" : `a ${typeof thrown}`;
  const { name, message, stack } = thrown;
  if (message.startsWith(NO_ERROR)) return "a value that is no Error";
  const head = `${name}: ${message}`.slice(0, MAX_REJECTION_CHARS).replaceAll(/\s*\n\s*/g, " ");
  const frames = stack?.slice(0, MAX_REJECTION_CHARS).indexOf("\n    at ") ?? -1;
  return frames < 0 ? head : head + stack?.slice(frames, frames + MAX_REJECTION_CHARS);
}
var NO_ERROR = "An object was thrown from supplied code within isolated-vm";

// child/host-check.ts
var MAX_SLICE_MS = 2 ** 31 - 1;
var MAX_SPARES = 256;
var LIMIT_NAMES = ["memoryMb", "maxPendingCalls", "maxLogBytes", "maxResultBytes", "maxValueBytes"];
function parseStart(text) {
  const body = JSON.parse(text);
  checkSlice(body.sliceMs);
  if (typeof body.code !== "string" || typeof body.seed !== "string") throw new Error("a start without code or seed");
  const { places } = body;
  if (places !== void 0 && (typeof places.table !== "string" || typeof places.ownSuffix !== "string"))
    throw new Error("a start with odd places");
  if (!Number.isFinite(body.startTimeMs)) throw new Error("a start without a time");
  if (!Array.isArray(body.bindings) || !body.bindings.every(isBinding)) throw new Error("a start with odd bindings");
  for (const name of LIMIT_NAMES) {
    if (!Number.isInteger(body.limits?.[name])) throw new Error(`a start without the limit ${name}`);
  }
  return body;
}
var DELIVER_PREFIX = /^\{"nowMs":\d+,"sliceMs":(\d+),/;
function sliceOfDelivery(text) {
  const found = DELIVER_PREFIX.exec(text);
  if (found !== null) return checkSlice(Number(found[1]));
  const body = JSON.parse(text);
  if (!Number.isFinite(body.nowMs)) throw new Error("a delivery without a time");
  return checkSlice(body.sliceMs);
}
function parsePrepare(text) {
  const { spares } = JSON.parse(text);
  if (Number.isInteger(spares) && spares >= 0 && spares <= MAX_SPARES) return spares;
  throw new Error(`${JSON.stringify(spares)} spare isolates; 0 to ${MAX_SPARES} are allowed`);
}
function checkSlice(sliceMs) {
  if (Number.isInteger(sliceMs) && sliceMs >= 1 && sliceMs <= MAX_SLICE_MS) return sliceMs;
  throw new Error(`a slice of ${JSON.stringify(sliceMs)} ms; whole ones from 1 to ${MAX_SLICE_MS} are allowed`);
}
function isBinding(binding) {
  const areTexts = (list) => Array.isArray(list) && list.every((each) => typeof each === "string");
  return typeof binding?.name === "string" && areTexts(binding.path) && areTexts(binding.required);
}

// child/run.ts
var DRAIN_MS = 1e3;
var LAST_WORDS_MS = 100;
var nothing = () => {
};
var DEFAULT_MEMORY_MB = 128;
function createChild(options) {
  const { send } = options;
  const runs = /* @__PURE__ */ new Map();
  const spares = [];
  let spareMemoryMb = DEFAULT_MEMORY_MB;
  let sparesWanted = 0;
  const take = (memoryMb) => {
    if (memoryMb !== spareMemoryMb) {
      for (const spare of spares.splice(0)) spare.dispose();
      spareMemoryMb = memoryMb;
    }
    return spares.pop() ?? options.createIsolate(memoryMb);
  };
  const start = (number, body) => {
    const { code, limits, sliceMs } = parseStart(body);
    if (runs.has(number)) throw new Error(`a start for run ${number}, which is here already`);
    const run = { guest: take(limits.memoryMb), stopped: void 0 };
    runs.set(number, run);
    const step = run.guest.step("start", body, sliceMs);
    tellRejection(run, step);
    const problem = step.end === "ok" && step.value === "syntax" ? run.guest.syntaxProblem(code) : void 0;
    if (problem !== void 0) run.stopped = stopped("compile", problem);
    else if (step.end !== "ok") stop(run, step.end, sliceMs);
    answer(number, run, nothing);
  };
  const deliver = (number, body) => {
    const run = runs.get(number);
    if (run === void 0) throw new Error(`a delivery for run ${number}, which is not here`);
    if (run.stopped !== void 0) {
      answer(number, run, nothing);
      return;
    }
    const sliceMs = sliceOfDelivery(body);
    const deadline = performance.now() + sliceMs;
    const step = run.guest.step("deliver", body, sliceMs);
    tellRejection(run, step);
    if (step.end !== "ok") stop(run, step.end, sliceMs);
    answer(number, run, () => {
      const left = Math.ceil(deadline - performance.now());
      const more = left <= 0 ? { end: "time" } : run.guest.step("deliver", "", left);
      tellRejection(run, more);
      if (more.end !== "ok") stop(run, more.end, sliceMs);
    });
  };
  const stop = (run, end, sliceMs) => {
    if (end === "time") run.guest.step("reject", "", LAST_WORDS_MS);
    run.stopped = end === "memory" ? stopped("memory", "The program used up its memory.") : stopped("slice-timeout", `The program did not yield for ${sliceMs} ms.`);
  };
  const tellRejection = (run, step) => {
    if (step.end === "ok" && step.rejection !== void 0) run.guest.step("reject", step.rejection, DRAIN_MS);
  };
  const answer = (number, run, goOn) => {
    for (; ; ) {
      const step = run.stopped === void 0 ? run.guest.step("drain", "", DRAIN_MS) : run.guest.step("drain", "last", LAST_WORDS_MS);
      if (step.end === "memory") run.stopped ??= stopped("memory", "The program used up its memory.");
      else if (step.end === "time") run.stopped ??= stopped("slice-timeout", "The program did not yield.");
      const text = step.end === "ok" && typeof step.value === "string" ? step.value : "";
      if (text === ">" && run.stopped === void 0) {
        goOn();
        continue;
      }
      if (text.startsWith("+")) {
        send(CHILD_FRAME.part, number, `{"events":[${text.slice(1)}]}`);
        continue;
      }
      const { state, events } = splitLast(text);
      const told = run.stopped ?? state;
      send(CHILD_FRAME.slice, number, `{"events":[${events}],"state":${told},"cpuMs":${run.guest.cpuMs}}`);
      if (run.stopped !== void 0) run.guest.dispose();
      return;
    }
  };
  const discard = (number) => {
    runs.get(number)?.guest.dispose();
    runs.delete(number);
  };
  const prepare = () => {
    while (spares.length < sparesWanted) spares.push(options.createIsolate(spareMemoryMb));
    while (spares.length > sparesWanted) spares.pop()?.dispose();
  };
  return {
    handle(frame) {
      switch (frame.type) {
        case HOST_FRAME.start:
          start(frame.run, frame.body);
          return;
        case HOST_FRAME.deliver:
          deliver(frame.run, frame.body);
          return;
        case HOST_FRAME.discard:
          discard(frame.run);
          return;
        case HOST_FRAME.prepare:
          sparesWanted = parsePrepare(frame.body);
          prepare();
          return;
        default:
          throw new Error(`a frame of type ${frame.type}, which is unknown`);
      }
    }
  };
}
function readyBody() {
  return JSON.stringify({ version: WIRE_VERSION, node: process.versions.node, v8: process.versions.v8 });
}
function stopped(why, message) {
  return JSON.stringify({ s: "stopped", why, message });
}
function splitLast(text) {
  const colon = text.indexOf(":");
  if (!text.startsWith("=") || colon < 0) return { state: '{"s":"waiting"}', events: "" };
  const length = Number(text.slice(1, colon));
  return { state: text.slice(colon + 1, colon + 1 + length), events: text.slice(colon + 1 + length) };
}

// child/loop.ts
function runLoop(options) {
  const { port, addon, guestCode, maxFrameBytes } = options;
  const send = createFrameWriter(port);
  try {
    const source = createIsolateSource(loadIvm(addon), guestCode);
    const child = createChild({ createIsolate: (memoryMb) => source.create(memoryMb), send });
    const frames = createFrameReader(port, maxFrameBytes);
    send(CHILD_FRAME.ready, 0, readyBody());
    for (let frame = frames.next(); frame !== void 0; frame = frames.next()) child.handle(frame);
    return 0;
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : "unknown";
    try {
      send(CHILD_FRAME.fatal, 0, JSON.stringify({ why: "internal", message: message.slice(0, 2e3) }));
    } catch {
    }
    return 70;
  }
}

// child/main.ts
(0, import_node_v8.setFlagsFromString)("--no-turboshaft-loop-unrolling");
process.env["TZ"] = "UTC";
var { values } = (0, import_node_util.parseArgs)({
  options: { addon: { type: "string" }, "max-frame-bytes": { type: "string", default: String(256 * 1024 * 1024) } }
});
process.exitCode = runLoop({
  port: createFilePort(3, 4),
  addon: values.addon ?? "",
  guestCode: guest_default,
  maxFrameBytes: Number(values["max-frame-bytes"])
});
