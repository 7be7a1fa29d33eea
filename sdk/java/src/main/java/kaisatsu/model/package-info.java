/**
 * What the server answers, as values that never change. Lists and maps are unmodifiable; what an answer may leave out
 * is null there. Times are in UTC, in the form of RFC 3339.
 */
package kaisatsu.model;
