package kaisatsu.error;

import kaisatsu.model.DataSet;

/** A dataset could not be built. */
public final class DataSetFailedException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    /** The dataset with its reason; null after serialisation. */
    private final transient DataSet dataSet;

    /**
     * Creates one.
     *
     * @param dataSet the dataset, whose state is {@code failed}
     */
    public DataSetFailedException(DataSet dataSet) {
        super("the dataset " + dataSet.getDataSetId() + " failed: " + dataSet.getReason(), null);
        this.dataSet = dataSet;
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
