/** Conveniences that need classes which Android 6 does not have: futures and streams. */
package kaisatsu.server;
