// Ways between two stations, as the server finds and draws them.

import { languageQuery, type MapStation, type Network } from './network';

/** A stretch on one line, or on foot. */
export type WayPart = { color: string; walk: boolean; points: [number, number][] };

export type WayLine = { name: string; color: string; isWalk: boolean; minutes: number; to: string };

export type Way = {
  minutes: number;
  changes: number;
  lines: WayLine[];
  /** All stations on it, in order. */
  stations: MapStation[];
  parts: WayPart[];
};

type Answer = {
  answer: { ResultSet: { Course: { Route: Route }[] } };
  ways: { stations: number[]; parts: WayPart[] }[];
};

type Route = {
  timeOnBoard: string;
  timeWalk: string;
  timeOther: string;
  transferCount: string;
  Point: { Station: { Name: string } }[];
  Line: { Name: string; Type: string; Color: string; timeOnBoard: string }[];
};

function wayOf(network: Network, route: Route, drawn: Answer['ways'][number] | undefined): Way {
  return {
    minutes: Number(route.timeOnBoard) + Number(route.timeWalk) + Number(route.timeOther),
    changes: Number(route.transferCount),
    lines: route.Line.map((line, at) => ({
      name: line.Name,
      color: line.Color,
      isWalk: line.Type === 'walk',
      minutes: Number(line.timeOnBoard),
      to: route.Point[at + 1]?.Station.Name ?? '',
    })),
    stations: (drawn?.stations ?? []).flatMap((code) => network.byCode.get(String(code)) ?? []),
    parts: drawn?.parts ?? [],
  };
}

/** The ways from a station to another, the best first; none if there is no way. */
export async function findWays(network: Network, from: MapStation, to: MapStation): Promise<Way[]> {
  const query = languageQuery(network.language).replace('?', '&');
  const response = await fetch(`/map/${network.id}/course.json?from=${from.code}&to=${to.code}${query}`);
  if (response.status === 400 || response.status === 404) return [];
  if (!response.ok) throw new Error(`course.json: ${response.status}`);
  const { answer, ways } = (await response.json()) as Answer;
  return answer.ResultSet.Course.map(({ Route }, at) => wayOf(network, Route, ways[at]));
}
