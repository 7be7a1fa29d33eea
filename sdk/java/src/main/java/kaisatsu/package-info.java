/**
 * The client of Kaisatsu, a server for route maps and image recognition. {@link kaisatsu.Kaisatsu} is where to begin.
 *
 * <p>This package and those for errors, answers and HTTP use what Java 8 and Android 6 (API 23) have in common.
 */
package kaisatsu;
