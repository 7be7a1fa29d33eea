package kaisatsu;

import java.util.List;

/** Which window of a route map to draw. */
public final class RailMapDataQuery extends Parameters<RailMapDataQuery> {
    /**
     * Creates one.
     *
     * @param id the id of the map
     */
    public RailMapDataQuery(String id) {
        need("id", id);
    }

    /**
     * Sets it: left edge of the window.
     *
     * @param x the value, or null for the server's default
     * @return this
     */
    public RailMapDataQuery x(Integer x) {
        return set("x", x);
    }

    /**
     * Sets it: top edge of the window.
     *
     * @param y the value, or null for the server's default
     * @return this
     */
    public RailMapDataQuery y(Integer y) {
        return set("y", y);
    }

    /**
     * Sets it: width of the window, 1 to 500.
     *
     * @param width the value, or null for the server's default
     * @return this
     */
    public RailMapDataQuery width(Integer width) {
        return set("width", width);
    }

    /**
     * Sets it: height of the window, 1 to 500.
     *
     * @param height the value, or null for the server's default
     * @return this
     */
    public RailMapDataQuery height(Integer height) {
        return set("height", height);
    }

    /**
     * Sets it: {@code png}, {@code svg} or {@code pdf}.
     *
     * @param format the value, or null for the server's default
     * @return this
     */
    public RailMapDataQuery format(String format) {
        return set("format", format);
    }

    /**
     * Sets it: pixels for a unit of the map.
     *
     * @param scale the value, or null for the server's default
     * @return this
     */
    public RailMapDataQuery scale(Number scale) {
        return set("scale", scale);
    }

    /**
     * Sets it: {@code light} or {@code dark}.
     *
     * @param style the value, or null for the server's default
     * @return this
     */
    public RailMapDataQuery style(String style) {
        return set("style", style);
    }

    /**
     * Sets it: the language of the names, {@code ja}, {@code en} or {@code ja-en}.
     *
     * @param language the value, or null for the server's default
     * @return this
     */
    public RailMapDataQuery language(String language) {
        return set("language", language);
    }

    /**
     * Sets it: the codes of the stations of a way; everything else is dimmed.
     *
     * @param codes the value, or null for no way
     * @return this
     */
    public RailMapDataQuery course(List<Integer> codes) {
        return set("course", codes == null || codes.isEmpty() ? null : Group.join(codes, ","));
    }

    /**
     * Sets it: whether an SVG has letters as text, which can be searched and copied, instead of outlines.
     *
     * @param text the value, or null for the server's default
     * @return this
     */
    public RailMapDataQuery text(Boolean text) {
        return set("text", text);
    }
}
