package kaisatsu;

/** Where the API key goes in a request. */
public enum KeyIn {
    /** In the header {@code X-API-Key}, which stays out of the logs of proxies. */
    HEADER,
    /** In the query parameter {@code APIKEY}, for servers and gateways that know no other form. */
    QUERY
}
