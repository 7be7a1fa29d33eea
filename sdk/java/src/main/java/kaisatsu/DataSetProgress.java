package kaisatsu;

import kaisatsu.model.DataSet;

/** Is told how far a dataset is. */
public interface DataSetProgress {
    /**
     * The server was asked once more.
     *
     * @param dataSet the dataset as it is now; {@link DataSet#getProgress()} has the numbers
     */
    void onProgress(DataSet dataSet);
}
