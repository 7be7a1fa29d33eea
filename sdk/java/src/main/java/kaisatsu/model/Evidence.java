package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** What speaks for an item. */
public final class Evidence {
    private final String kind;
    private final String barcode;
    private final Integer inliers;
    private final String matchedText;
    private final Long referencePicture;
    private final double xMin;
    private final double yMin;
    private final double xMax;
    private final double yMax;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Evidence(JsonObject json) {
        this.kind = json.needString("kind");
        this.barcode = json.string("barcode");
        this.inliers = json.integer("inliers");
        this.matchedText = json.string("matchedText");
        this.referencePicture = json.whole("referencePicture");
        this.xMin = json.needNumber("xMin");
        this.yMin = json.needNumber("yMin");
        this.xMax = json.needNumber("xMax");
        this.yMax = json.needNumber("yMax");
    }

    /**
     * One of {@code barcode} or {@code looks}.
     *
     * @return the value
     */
    public String getKind() {
        return kind;
    }

    /**
     * The digits that were read.
     *
     * @return the value, or null when there is none
     */
    public String getBarcode() {
        return barcode;
    }

    /**
     * How many local features lie where they should.
     *
     * @return the value, or null when there is none
     */
    public Integer getInliers() {
        return inliers;
    }

    /**
     * The printed words that decided for it.
     *
     * @return the value, or null when there is none
     */
    public String getMatchedText() {
        return matchedText;
    }

    /**
     * The number of the nearest reference picture.
     *
     * @return the value, or null when there is none
     */
    public Long getReferencePicture() {
        return referencePicture;
    }

    /**
     * Left edge, in pixels of the picture as sent.
     *
     * @return the value
     */
    public double getXMin() {
        return xMin;
    }

    /**
     * Top edge.
     *
     * @return the value
     */
    public double getYMin() {
        return yMin;
    }

    /**
     * Right edge.
     *
     * @return the value
     */
    public double getXMax() {
        return xMax;
    }

    /**
     * Bottom edge.
     *
     * @return the value
     */
    public double getYMax() {
        return yMax;
    }
}
