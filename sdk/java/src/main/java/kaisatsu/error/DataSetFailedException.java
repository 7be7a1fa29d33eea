package kaisatsu.error;

import kaisatsu.model.DataSet;

/** A dataset could not be built. */
public final class DataSetFailedException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    /** The dataset; null after serialisation. */
    private final transient DataSet dataSet;
    /** The id of the dataset. */
    private final String dataSetId;
    /** Why, or null. */
    private final String reason;

    /**
     * Creates one.
     *
     * @param dataSet the dataset, whose state is {@code failed}
     */
    public DataSetFailedException(DataSet dataSet) {
        super("dataset " + dataSet.getDataSetId() + " could not be built: "
                + (dataSet.getReason() == null ? "the server does not say why" : dataSet.getReason()), null);
        this.dataSet = dataSet;
        this.dataSetId = dataSet.getDataSetId();
        this.reason = dataSet.getReason();
    }

    /**
     * The id of the dataset.
     *
     * @return the id
     */
    public String getDataSetId() {
        return dataSetId;
    }

    /**
     * Why it could not be built.
     *
     * @return the server's words, or null where it does not say
     */
    public String getReason() {
        return reason;
    }

    /**
     * The dataset.
     *
     * @return the dataset with its reason and the outcome of its images
     */
    public DataSet getDataSet() {
        return dataSet;
    }
}
