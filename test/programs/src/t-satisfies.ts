const plan = [{ title: 'one', priority: 'low' }, { title: 'two', priority: 'high' }] as const satisfies readonly { title: string; priority: 'low' | 'high' }[]
const log: string[] = []
{
  using guard = { [Symbol.dispose]: () => void log.push('closed') }
  for (const { title, priority } of plan) {
    const task = await tools.create_task({ title, priority })
    log.push(String(task.id))
  }
  void guard
}
return log
