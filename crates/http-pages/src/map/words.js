// The words of the page, in English and Japanese.

const english = {
  find: "Find a station", hint: "Name, kana or code", results: "Stations found", lines: "Lines", close: "Close",
  map: "Route map. Arrow keys move it, plus and minus zoom, zero shows all of it, Enter opens the station in the middle, slash goes to the search.",
  maps: "All maps", closer: "Zoom in", farther: "Zoom out", whole: "Show the whole map", dark: "Dark style",
  answer: "Answer of railmapDetail", request: "The request", gcs: "Geodetic system", tokyo: "Tokyo datum",
  copy: "Copy", copied: "Copied", code: "code", formerly: (names) => `Formerly ${names}`,
  count: (n) => (n === 0 ? "No station found" : n === 1 ? "1 station found" : `${n} stations found`),
  stations: (n) => (n === 1 ? "1 station" : `${n} stations`), shown: (name) => `${name} is shown`,
  trouble: "The map cannot be loaded. Trying again…", gone: "The server has no such map any more.",
  slow: "Parts of the map cannot be loaded at the moment. Trying again…", unknown: "That station is not on this map.",
};

const japanese = {
  find: "駅を探す", hint: "駅名・かな・駅コード", results: "見つかった駅", lines: "路線", close: "閉じる",
  map: "路線図。矢印キーで移動、プラスとマイナスで拡大縮小、0で全体表示、Enterで中央の駅、スラッシュで検索。",
  maps: "路線図の一覧", closer: "拡大", farther: "縮小", whole: "全体を表示", dark: "ダーク表示",
  answer: "railmapDetail の応答", request: "リクエスト", gcs: "測地系", tokyo: "日本測地系",
  copy: "コピー", copied: "コピーしました", code: "駅コード", formerly: (names) => `旧駅名：${names}`,
  count: (n) => (n === 0 ? "駅が見つかりません" : `${n}駅が見つかりました`),
  stations: (n) => `${n}駅`, shown: (name) => `${name}を表示しました`,
  trouble: "路線図を読み込めません。再試行しています…", gone: "この路線図はサーバーにありません。",
  slow: "路線図の一部を読み込めません。再試行しています…", unknown: "その駅はこの路線図にありません。",
};

export const isJapanese = /^ja\b/i.test(navigator.language);
export const words = isJapanese ? japanese : english;

/// Puts the words where the document asks for them.
export function translate(root = document) {
  document.documentElement.lang = isJapanese ? "ja" : "en";
  for (const element of root.querySelectorAll("[data-word]")) element.textContent = words[element.dataset.word];
  for (const element of root.querySelectorAll("[data-hint]")) element.placeholder = words[element.dataset.hint];
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", words[element.dataset.label]);
    if (element.matches("button, a")) element.title = words[element.dataset.label];
  }
}
