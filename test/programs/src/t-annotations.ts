interface Row { A: number }
type Report = { Rows: Row[]; total?: number }
const report: Report = await tools.legacy_report({})
return report.Rows.map((row) => row.A).concat(report.total ?? 0)
