package kaisatsu;

/** The version of this library. */
final class Version {
    /** The same as in {@code sdk/VERSION} and {@code pom.xml}; a test compares them. */
    static final String NUMBER = "0.1.0";

    private Version() {}
}
