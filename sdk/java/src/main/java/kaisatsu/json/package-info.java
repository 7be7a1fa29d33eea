/** A small reader and writer of JSON, so that the library depends on nothing. Not meant for other uses. */
package kaisatsu.json;
