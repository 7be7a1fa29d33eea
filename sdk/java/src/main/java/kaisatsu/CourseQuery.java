package kaisatsu;

import java.util.List;

/** Which ways to search. Places are codes or names of stations. */
public final class CourseQuery extends Parameters<CourseQuery> {
    /**
     * Creates one.
     *
     * @param from where it begins
     * @param to where it ends
     */
    public CourseQuery(String from, String to) {
        need("from", from);
        need("to", to);
        set("gcs", "wgs84"); // the wire's own default is 400 metres off what a phone says
    }

    /**
     * Sets it: stations to go through, three at most.
     *
     * @param via the value, or null for the server's default
     * @return this
     */
    public CourseQuery via(List<String> via) {
        return set("via", via);
    }

    /**
     * Sets it: only on this map.
     *
     * @param id the value, or null for the server's default
     * @return this
     */
    public CourseQuery id(String id) {
        return set("id", id);
    }

    /**
     * Sets it: {@code time} or {@code transfer}.
     *
     * @param sort the value, or null for the server's default
     * @return this
     */
    public CourseQuery sort(String sort) {
        return set("sort", sort);
    }

    /**
     * Sets it: how many ways, 1 to 5.
     *
     * @param answerCount the value, or null for the server's default
     * @return this
     */
    public CourseQuery answerCount(Integer answerCount) {
        return set("answerCount", answerCount);
    }

    /**
     * Sets it: the geodetic system, {@code wgs84} if nothing else is set, or {@code tokyo}.
     *
     * @param gcs the value, or null for the server's default
     * @return this
     */
    public CourseQuery gcs(String gcs) {
        return set("gcs", gcs);
    }

    /**
     * Sets it: the language of the names of stations and lines, {@code ja}, {@code en} or {@code ja-en}.
     *
     * @param language the value, or null for the server's default
     * @return this
     */
    public CourseQuery language(String language) {
        return set("language", language);
    }
}
