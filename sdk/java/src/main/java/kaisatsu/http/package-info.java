/** How requests are sent, so that another HTTP client can be put in place of the default one. */
package kaisatsu.http;
