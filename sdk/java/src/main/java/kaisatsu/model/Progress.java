package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** How many images of a dataset came to what. */
public final class Progress {
    private final long total;
    private final long done;
    private final long pending;
    private final long fetched;
    private final long tooLarge;
    private final long notAnImage;
    private final long notFound;
    private final long timedOut;
    private final long denied;
    private final long overQuota;
    private final long failed;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Progress(JsonObject json) {
        this.total = json.needWhole("total");
        this.done = json.needWhole("done");
        this.pending = json.needWhole("pending");
        this.fetched = json.needWhole("fetched");
        this.tooLarge = json.needWhole("tooLarge");
        this.notAnImage = json.needWhole("notAnImage");
        this.notFound = json.needWhole("notFound");
        this.timedOut = json.needWhole("timedOut");
        this.denied = json.needWhole("denied");
        this.overQuota = json.needWhole("overQuota");
        this.failed = json.needWhole("failed");
    }

    /**
     * All images.
     *
     * @return the value
     */
    public long getTotal() {
        return total;
    }

    /**
     * Those that came to something, good or bad.
     *
     * @return the value
     */
    public long getDone() {
        return done;
    }

    /**
     * Still to be looked at.
     *
     * @return the value
     */
    public long getPending() {
        return pending;
    }

    /**
     * In the dataset.
     *
     * @return the value
     */
    public long getFetched() {
        return fetched;
    }

    /**
     * Too many bytes or pixels.
     *
     * @return the value
     */
    public long getTooLarge() {
        return tooLarge;
    }

    /**
     * Not an image that the server reads.
     *
     * @return the value
     */
    public long getNotAnImage() {
        return notAnImage;
    }

    /**
     * Nothing there.
     *
     * @return the value
     */
    public long getNotFound() {
        return notFound;
    }

    /**
     * Not there in time.
     *
     * @return the value
     */
    public long getTimedOut() {
        return timedOut;
    }

    /**
     * Not an address that may be fetched.
     *
     * @return the value
     */
    public long getDenied() {
        return denied;
    }

    /**
     * More bytes than the user may have.
     *
     * @return the value
     */
    public long getOverQuota() {
        return overQuota;
    }

    /**
     * Anything else.
     *
     * @return the value
     */
    public long getFailed() {
        return failed;
    }
}
