/** Authors may write tools as classes: `this` stays theirs, though the pipeline holds a copy. What is no function stays as it is. */
export function bindMethod(owner: object, method: unknown): unknown {
  return typeof method === 'function' ? (...args: unknown[]): unknown => Reflect.apply(method, owner, args) : method
}

/** The same for several; absent ones stay absent. */
export function bindMethods(owner: object, fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present.map(([field, value]) => [field, bindMethod(owner, value)]))
}
