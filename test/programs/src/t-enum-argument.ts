enum Priority { Low = 'low', High = 'high' }
const task = await tools.create_task({ title: 'a', priority: Priority.High })
return task.id
