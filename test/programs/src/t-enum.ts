enum Level { Low = 'low', High = 'high' }
namespace Names { export const prefix = 'todo' }
const levels: Record<Level, number> = { [Level.Low]: 1, [Level.High]: 3 }
const task = await tools.create_task({ title: `${Names.prefix}: ship`, priority: 'high', tags: ['x'] })
return { id: task.id, weight: levels[Level.High] }
