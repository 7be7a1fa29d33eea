package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** Some of a user's datasets. */
public final class DataSetPage {
    private final List<DataSet> dataSets;
    private final String nextCursor;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public DataSetPage(JsonObject json) {
        this.dataSets = json.needList("dataSets", DataSet::new);
        this.nextCursor = json.string("nextCursor");
    }

    /**
     * Oldest first, without health and images.
     *
     * @return an unmodifiable list
     */
    public List<DataSet> getDataSets() {
        return dataSets;
    }

    /**
     * What to ask for those that follow with.
     *
     * @return the value, or null when there is none
     */
    public String getNextCursor() {
        return nextCursor;
    }
}
