import { api, type Application, type Usage } from '$/lib/console';

export type ApplicationUsage = { application: Application; usage: Usage };
/** The number of concurrent requests. */
const CONCURRENCY = 4;

/** With more applications, usage is only fetched for those in use. */
const FETCH_ALL_LIMIT = 40;

/**
 * Whether a key was used this week or anything was called today. Requests of the console on previous days are not known
 * here.
 */
function inUse(application: Application): boolean {
  const first = weekDays()[0] ?? 0;
  return (
    application.quota.usedToday > 0 ||
    application.keys.some((key) => key.lastUsedAt !== null && Date.parse(key.lastUsedAt) >= first)
  );
}

/** The usage of all applications in the last seven days. */
export async function fetchWeek(all: Application[], signal: AbortSignal): Promise<ApplicationUsage[]> {
  const applications = all.length > FETCH_ALL_LIMIT ? all.filter(inUse) : all;
  const found: ApplicationUsage[] = [];
  let next = 0;
  async function worker() {
    for (let at = next++; at < applications.length; at = next++) {
      const application = applications[at];
      if (application)
        found[at] = {
          application,
          usage: await api.get('applications/{id}/usage', { path: { id: application.id }, query: { days: 7 }, signal }),
        };
    }
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, applications.length) }, worker));
  return found;
}

/**
 * Local midnight of today and the six previous days. The server counts usage of a week by the hour, so all days are
 * complete.
 */
export function weekDays(now = new Date()): number[] {
  return Array.from({ length: 7 }, (_, at) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - 6 + at).getTime(),
  );
}

export type Week = {
  names: string[];
  others: boolean;
  bars: { at: number; values: number[] }[];
  requests: number;
  errors: number;
};

/**
 * Requests by day and application, busiest first. There are eight colours, so applications after the seventh are
 * combined.
 */
export function weekBars(shares: ApplicationUsage[], days = weekDays()): Week {
  const first = days[0] ?? 0;
  const counted = shares.map(({ application, usage }) => {
    const values = days.map(() => 0);
    let errors = 0;
    for (const row of usage.rows) {
      const at = Date.parse(row.at);
      if (at < first) continue;
      const day = days.findLastIndex((begin) => begin <= at);
      values[day] = (values[day] ?? 0) + row.requests;
      errors += row.refused + row.failed;
    }
    return { name: application.name, values, errors, requests: values.reduce((sum, one) => sum + one, 0) };
  });
  const busy = counted.filter((one) => one.requests > 0).sort((a, b) => b.requests - a.requests);
  const others = busy.length > 8;
  const shown = others ? busy.slice(0, 7) : busy;
  const rest = busy.slice(shown.length);
  const bars = days.map((at, day) => ({
    at,
    values: [
      ...shown.map((one) => one.values[day] ?? 0),
      ...(others ? [rest.reduce((sum, one) => sum + (one.values[day] ?? 0), 0)] : []),
    ],
  }));
  return {
    names: unique(shown.map((one) => one.name)),
    others,
    bars,
    requests: busy.reduce((sum, one) => sum + one.requests, 0),
    errors: busy.reduce((sum, one) => sum + one.errors, 0),
  };
}

/** Charts identify series by name, so names must be unique. */
function unique(names: string[]): string[] {
  return names.map((name, at) => (names.indexOf(name) === at ? name : `${name} (${at + 1})`));
}
