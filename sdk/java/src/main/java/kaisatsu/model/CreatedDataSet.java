package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** A dataset that is being built. */
public final class CreatedDataSet {
    private final String dataSetId;
    private final String state;
    private final List<Warning> warnings;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public CreatedDataSet(JsonObject json) {
        this.dataSetId = json.needString("dataSetId");
        this.state = json.needString("state");
        this.warnings = json.list("warnings", Warning::new);
    }

    /**
     * What names it from now on.
     *
     * @return the value
     */
    public String getDataSetId() {
        return dataSetId;
    }

    /**
     * At first {@code queued}.
     *
     * @return the value
     */
    public String getState() {
        return state;
    }

    /**
     * What it will not be able to do.
     *
     * @return an unmodifiable list, empty when there is none
     */
    public List<Warning> getWarnings() {
        return warnings;
    }
}
