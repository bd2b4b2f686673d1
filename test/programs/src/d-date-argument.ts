const task = await tools.create_task({ title: 'due', priority: 'medium', due: new Date(Date.UTC(2026, 0, 2)) })
return task.id
