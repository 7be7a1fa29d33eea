package kaisatsu;

/** Which items of the catalogue to look for. */
public final class RecognizeOptions extends Parameters<RecognizeOptions> {
    /**
     * Creates one.
     */
    public RecognizeOptions() {}

    /**
     * Sets it: {@code product-all}, {@code book}, {@code cd}, {@code dvd}, {@code game}, {@code software}
     * or {@code food}.
     *
     * @param recog the value, or null for the server's default
     * @return this
     */
    public RecognizeOptions recog(String recog) {
        return set("recog", recog);
    }

    /**
     * Sets it: how many candidates at most, 1 to 50.
     *
     * @param numOfCandidates the value, or null for the server's default
     * @return this
     */
    public RecognizeOptions numOfCandidates(Integer numOfCandidates) {
        return set("numOfCandidates", numOfCandidates);
    }
}
