/** Prometheus text of what the service has counted, and of what it holds now. */
export interface Metrics {
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void
  /** Asked each time. Names of one family carry the same help. */
  gauge(name: string, help: string, read: () => number): void
  text(): string
}

interface Counter {
  readonly help: string
  readonly valuesByLabels: Map<string, number>
}

const COUNTERS = {
  codeferry_http_requests_total: 'Requests answered, by method, route and status.',
  codeferry_http_request_seconds_total: 'Time until the answer began, by route.',
  codeferry_runs_total: 'Runs that ended, by status.',
  codeferry_calls_total: 'Calls made through steps and tools/call, by whether they failed.',
  codeferry_slow_readers_total: 'Connections that were ended because their answer was not read.',
  codeferry_refused_total: 'Work that was refused because too much waits, by reason.',
} as const

export type CounterName = keyof typeof COUNTERS

/** Labels are routes, methods and statuses of this service alone: nothing from outside can make new series. */
export function createMetrics(): Metrics {
  const countersByName = new Map<string, Counter>(
    Object.entries(COUNTERS).map(([name, help]) => [name, { help, valuesByLabels: new Map<string, number>() }]),
  )
  const gaugesByName = new Map<string, { readonly help: string; readonly read: () => number }>()

  return {
    count(name, labels = {}, by = 1) {
      const counter = countersByName.get(name)
      if (counter === undefined) throw new TypeError(`there is no counter ${name}`)
      const key = labelsText(labels)
      counter.valuesByLabels.set(key, (counter.valuesByLabels.get(key) ?? 0) + by)
    },
    gauge: (name, help, read) => void gaugesByName.set(name, { help, read }),
    text() {
      const lines: string[] = []
      for (const [name, { help, valuesByLabels }] of countersByName) {
        lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} counter`)
        for (const [labels, value] of valuesByLabels) lines.push(`${name}${labels} ${value}`)
      }
      for (const [name, { help, read }] of gaugesByName)
        lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${read()}`)
      return `${lines.join('\n')}\n`
    },
  }
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}
