package kaisatsu;

import kaisatsu.http.Abort;

/**
 * Cancels calls from another thread: {@code client.cancelledBy(cancellation).maps().stations(query)} ends with a
 * {@link kaisatsu.error.CancelledException} as soon as somebody calls {@link #cancel()}.
 */
public final class Cancellation {
    /** What the running exchanges listen to. */
    final Abort abort = new Abort();

    /** Creates one that has not been cancelled. */
    public Cancellation() {}

    /** Cancels all calls that were given this object, those that run and those to come. */
    public void cancel() {
        abort.abort();
    }

    /**
     * Whether it was cancelled.
     *
     * @return true from then on
     */
    public boolean isCancelled() {
        return abort.isAborted();
    }
}
