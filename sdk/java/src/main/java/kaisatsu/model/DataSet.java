package kaisatsu.model;

import java.util.List;
import java.util.Map;
import kaisatsu.json.JsonObject;

/** A dataset. */
public final class DataSet {
    private final String dataSetId;
    private final String name;
    private final String state;
    private final String since;
    private final String createdAt;
    private final String model;
    private final Progress progress;
    private final String reason;
    private final Map<String, Object> health;
    private final List<Warning> warnings;
    private final Long version;
    private final DataSetUpdate update;
    private final List<DataSetImage> images;
    private final String nextCursor;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public DataSet(JsonObject json) {
        this.dataSetId = json.needString("dataSetId");
        this.name = json.needString("name");
        this.state = json.needString("state");
        this.since = json.needString("since");
        this.createdAt = json.needString("createdAt");
        this.model = json.needString("model");
        this.progress = new Progress(json.needObject("progress"));
        this.reason = json.string("reason");
        this.health = json.has("health") ? json.fields("health") : null;
        this.warnings = json.list("warnings", Warning::new);
        this.version = json.whole("version");
        this.update = json.has("update") ? new DataSetUpdate(json.needObject("update")) : null;
        this.images = json.list("images", DataSetImage::new);
        this.nextCursor = json.string("nextCursor");
    }

    /**
     * What names it.
     *
     * @return the value
     */
    public String getDataSetId() {
        return dataSetId;
    }

    /**
     * What the user calls it.
     *
     * @return the value
     */
    public String getName() {
        return name;
    }

    /**
     * One of {@code queued}, {@code building}, {@code ready} or {@code failed}.
     *
     * @return the value
     */
    public String getState() {
        return state;
    }

    /**
     * Since when, in UTC.
     *
     * @return the value
     */
    public String getSince() {
        return since;
    }

    /**
     * When it was created, in UTC.
     *
     * @return the value
     */
    public String getCreatedAt() {
        return createdAt;
    }

    /**
     * The model that its images are looked at with.
     *
     * @return the value
     */
    public String getModel() {
        return model;
    }

    /**
     * How many images came to what.
     *
     * @return the value
     */
    public Progress getProgress() {
        return progress;
    }

    /**
     * Why it failed.
     *
     * @return the value, or null when there is none
     */
    public String getReason() {
        return reason;
    }

    /**
     * How good it is, once it is ready.
     *
     * @return an unmodifiable map, or null
     */
    public Map<String, Object> getHealth() {
        return health;
    }

    /**
     * What it cannot do.
     *
     * @return an unmodifiable list, empty when there is none
     */
    public List<Warning> getWarnings() {
        return warnings;
    }

    /**
     * The number of the version that answers.
     *
     * @return the value, or null for a dataset that was never changed
     */
    public Long getVersion() {
        return version;
    }

    /**
     * The version that is being built, or that failed.
     *
     * @return the value, or null when there is none
     */
    public DataSetUpdate getUpdate() {
        return update;
    }

    /**
     * Some of its images; none in a list of datasets.
     *
     * @return an unmodifiable list, empty when there is none
     */
    public List<DataSetImage> getImages() {
        return images;
    }

    /**
     * What to ask for the images that follow with.
     *
     * @return the value, or null when there is none
     */
    public String getNextCursor() {
        return nextCursor;
    }
}
