// Label every open bug with many comments, and tell the channel.
const { issues, total } = await tools.list_issues({ owner: 'acme', repo: 'site', state: 'open', per_page: 100 })
const bugs = issues.filter((issue) => issue.labels.includes('bug') && issue.comments > 2)
const touched: string[] = []
for (const bug of bugs) {
  const fresh = await tools.get_issue({ number: bug.number })
  if (fresh.state !== 'open') continue
  const { ok, labels } = await tools.add_label({ number: fresh.number, label: 'triage' })
  if (!ok) throw new Error(`could not label ${fresh.number}`)
  const task = await tools.create_task({ title: fresh.title, priority: fresh.comments > 5 ? 'high' : 'medium', tags: labels })
  touched.push(`${fresh.title} -> ${task.id} (${task.priority})`)
}
const { id } = await tools.send_message({ channel: 'triage', text: touched.join('\n') })
return { total, touched: touched.length, message: id }
