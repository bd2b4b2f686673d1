const issue = await tools.github.issueRead({ issue_number: 1 })
const status = await tools.getStatus({ service: 'api' })
const same = await tools['get-status']({ service: 'db' })
return [issue.number, status.healthy, same.latency_ms]
