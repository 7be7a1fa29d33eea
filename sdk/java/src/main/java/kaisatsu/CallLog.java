package kaisatsu;

/** Is told of every request. Requests that are repeated are told of one by one. */
public interface CallLog {
    /**
     * A request is over.
     *
     * @param record what may be known of it
     */
    void log(CallRecord record);
}
