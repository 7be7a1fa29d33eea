// Runs before the first paint, so that a dark page never flashes white and the language of the page is right from the
// start.
// It is a classic script of its own because the content security policy lets no script into the page itself,
// and a module would run too late.
(function () {
  var root = document.documentElement;
  var kept = function (name) {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  };
  var theme = kept('kaisatsu.theme');
  var dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = dark ? 'dark' : 'light';
  var language = kept('kaisatsu.language') || navigator.language || 'en';
  root.lang = language.slice(0, 2) === 'ja' ? 'ja' : 'en';
})();
