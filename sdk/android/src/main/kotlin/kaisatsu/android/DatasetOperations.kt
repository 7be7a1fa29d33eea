package kaisatsu.android

import kaisatsu.DataSetChanges
import kaisatsu.ImageReference
import kaisatsu.PageQuery
import kaisatsu.error.DataSetFailedException
import kaisatsu.model.CreatedDataSet
import kaisatsu.model.DataSet
import kaisatsu.model.DataSetPage
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.last

/**
 * The user's datasets. The token comes from a server of your own. Wherever a `dataSetId` is asked for, the user's own
 * name of the dataset is taken too, as long as no other dataset of the user has it.
 */
class DatasetOperations internal constructor(private val calls: Calls) {
    /** Creates a dataset, which the server builds afterwards; see [progress]. */
    suspend fun create(token: String, name: String, images: List<ImageReference>): CreatedDataSet =
        calls { datasets().create(token, name, images) }

    /**
     * Creates a dataset of all images of the user's storage area that have a tag. No other dataset of the user may have
     * its [name].
     */
    suspend fun createFromStorage(token: String, name: String): CreatedDataSet =
        calls { datasets().createFromStorage(token, name) }

    /** Looks at a dataset and a page of its images. */
    suspend fun get(token: String, dataSetId: String, images: PageQuery = PageQuery()): DataSet =
        calls { datasets().get(token, dataSetId, images) }

    /** Lists the user's datasets, a page of them. */
    suspend fun list(token: String, page: PageQuery = PageQuery()): DataSetPage =
        calls { datasets().list(token, page) }

    /** Lists the user's datasets, all of them. */
    fun each(token: String, page: PageQuery = PageQuery()): Flow<DataSet> =
        calls.pages { datasets().each(token, page) }

    /**
     * Changes a dataset, which answers as before until the server has built the new version; [DataSet.getUpdate] says
     * how far that is.
     */
    suspend fun update(token: String, dataSetId: String, changes: DataSetChanges): DataSet =
        calls { datasets().update(token, dataSetId, changes) }

    /** Takes the last change of a dataset back. Its name stays. */
    suspend fun undo(token: String, dataSetId: String): DataSet = calls { datasets().undo(token, dataSetId) }

    /** Deletes a dataset for good. */
    suspend fun delete(token: String, dataSetId: String) {
        calls { datasets().delete(token, dataSetId) }
    }

    /**
     * A dataset while it is being built: its state whenever the server was asked, until it is ready. The flow fails
     * with a [DataSetFailedException] if it cannot be built, and goes on for as long as it is collected.
     */
    fun progress(token: String, dataSetId: String): Flow<DataSet> = flow {
        var wait = FIRST_LOOK
        while (true) {
            val now = get(token, dataSetId, PageQuery().limit(0))
            emit(now)
            when (now.state) {
                "ready" -> return@flow
                "failed" -> throw DataSetFailedException(now)
            }
            delay(wait)
            wait = minOf(2 * wait, LAST_LOOK)
        }
    }

    /** Waits until a dataset is ready; put `withTimeout` around it for a limit. */
    suspend fun waitUntilReady(token: String, dataSetId: String): DataSet = progress(token, dataSetId).last()

    private companion object {
        const val FIRST_LOOK = 250L
        const val LAST_LOOK = 2_000L
    }
}
