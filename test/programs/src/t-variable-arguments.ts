const params = { owner: 'acme' }
params.repo = 'site'
const filter = { state: 'open', ...params }
const { total } = await tools.list_issues(filter)
const task = {}
Object.assign(task, { title: 'check', priority: 'low' })
const made = await tools.create_task(task)
const words = ['low', 'high']
const again = await tools.create_task({ title: 'b', priority: words[1] })
return [total, made.id, again.id]
