// Sets the theme and the language of the document before the first paint, so that dark pages do not flash white. A
// separate classic script, because the content security policy blocks inline scripts and modules run too late.
(function () {
  var root = document.documentElement;
  var readSetting = function (name) {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  };
  var theme = readSetting('kaisatsu.theme');
  var dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = dark ? 'dark' : 'light';
  var language = readSetting('kaisatsu.language') || navigator.language || 'en';
  root.lang = language.slice(0, 2) === 'ja' ? 'ja' : 'en';
})();
