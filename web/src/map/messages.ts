// The texts of the map page, in English and Japanese.

import { plural } from '../shared/plural';

const english = {
  find: 'Find a station',
  hint: 'Name, kana, line or code',
  results: 'Stations found',
  lines: 'Lines',
  close: 'Close',
  map:
    'Route map. Arrow keys move the map, plus and minus zoom, zero shows the whole map, ' +
    'Enter opens the station in the centre, slash goes to the search.',
  maps: 'All maps',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  whole: 'Show the whole map',
  dark: 'Dark mode',
  language: 'Language of the map',
  locate: 'Where am I?',
  tooFar: 'This map has no station within 50 km.',
  notLocated: 'Your position could not be determined.',
  embed: 'Embed this map',
  embedHint: 'HTML for your own page:',
  route: 'Find a route',
  from: 'From',
  to: 'To',
  fromHere: 'From here',
  toHere: 'To here',
  swap: 'Swap start and destination',
  noWay: 'There is no route between these stations on this map.',
  way: (minutes: number, changes: number) =>
    `${minutes} min · ${changes === 0 ? 'direct' : plural(changes, 'change', 'changes')}`,
  ride: (line: string, to: string, minutes: number) => `${line} to ${to}, ${minutes} min`,
  neighbours: 'Next stations',
  response: 'railmapDetail response',
  request: 'Request',
  gcs: 'Geodetic datum',
  tokyo: 'Tokyo datum',
  copy: 'Copy',
  copied: 'Copied',
  formerly: (names: string) => `Formerly ${names}`,
  count: (count: number) => (count === 0 ? 'No stations found' : `${plural(count, 'station', 'stations')} found`),
  stations: (count: number) => plural(count, 'station', 'stations'),
  shown: (name: string) => `${name} selected`,
  loadFailed: 'The map could not be loaded. Trying again…',
  gone: 'This map is no longer on the server.',
  tilesFailing: 'Parts of the map could not be loaded. Trying again…',
  responseFailed: 'The response could not be loaded.',
  unknownStation: 'That station is not on this map.',
};

export type Messages = typeof english;

const japanese: Messages = {
  find: '駅を探す',
  hint: '駅名・かな・路線・駅コード',
  results: '見つかった駅',
  lines: '路線',
  close: '閉じる',
  map: '路線図。矢印キーで移動、プラスとマイナスで拡大縮小、0で全体表示、' + 'Enterで中央の駅、スラッシュで検索。',
  maps: '路線図の一覧',
  zoomIn: '拡大',
  zoomOut: '縮小',
  whole: '全体を表示',
  dark: 'ダーク表示',
  language: '路線図の言語',
  locate: '現在地',
  tooFar: '50km以内にこの路線図の駅はありません。',
  notLocated: '現在地を取得できません。',
  embed: 'この路線図を埋め込む',
  embedHint: 'ページに貼り付けるHTML：',
  route: '経路を探す',
  from: '出発',
  to: '到着',
  fromHere: 'ここから',
  toHere: 'ここまで',
  swap: '出発と到着を入れ替える',
  noWay: 'この路線図にはこの2駅を結ぶ経路がありません。',
  way: (minutes, changes) => `${minutes}分・${changes === 0 ? '乗換なし' : `乗換${changes}回`}`,
  ride: (line, to, minutes) => `${line} ${to}まで ${minutes}分`,
  neighbours: '隣の駅',
  response: 'railmapDetail の応答',
  request: 'リクエスト',
  gcs: '測地系',
  tokyo: '日本測地系',
  copy: 'コピー',
  copied: 'コピーしました',
  formerly: (names) => `旧駅名：${names}`,
  count: (count) => (count === 0 ? '駅が見つかりません' : `${count}駅が見つかりました`),
  stations: (count) => `${count}駅`,
  shown: (name) => `${name}を表示しました`,
  loadFailed: '路線図を読み込めません。再試行しています…',
  gone: 'この路線図はサーバーにありません。',
  tilesFailing: '路線図の一部を読み込めません。再試行しています…',
  responseFailed: '応答を読み込めません。',
  unknownStation: 'その駅はこの路線図にありません。',
};

export const isJapanese = /^ja\b/i.test(navigator.language);
export const messages: Messages = isJapanese ? japanese : english;

/** The message that an attribute of the document names. */
function named(name: string | undefined): string {
  const message: unknown = Object.entries(messages).find(([key]) => key === name)?.[1];
  if (typeof message !== 'string') throw new Error(`there is no message “${name}”`);
  return message;
}

/** Fills in the texts that the document asks for: data-text, data-placeholder and data-label. */
export function translateDocument(): void {
  const all = (selector: string) => document.querySelectorAll<HTMLElement>(selector);
  document.documentElement.lang = isJapanese ? 'ja' : 'en';
  for (const element of all('[data-text]')) element.textContent = named(element.dataset.text);
  for (const element of all('[data-placeholder]')) {
    element.setAttribute('placeholder', named(element.dataset.placeholder));
  }
  for (const element of all('[data-label]')) {
    const label = named(element.dataset.label);
    element.setAttribute('aria-label', label);
    if (element.matches('button, a')) element.title = label;
  }
}
