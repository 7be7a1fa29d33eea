package kaisatsu.android

import kaisatsu.Cancellation
import kaisatsu.Kaisatsu
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asExecutor
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.suspendCancellableCoroutine

/** Runs calls of the blocking client as suspending functions. */
internal class Calls(private val client: Kaisatsu) {
    /** The same with another client. */
    fun of(change: Kaisatsu.() -> Kaisatsu): Calls = Calls(client.change())

    suspend operator fun <T> invoke(call: Kaisatsu.() -> T): T {
        val cancellation = Cancellation()
        val threads = Dispatchers.IO.asExecutor()
        return suspendCancellableCoroutine { continuation ->
            // Closing a connection writes to it, which Android does not allow on the main thread.
            continuation.invokeOnCancellation { threads.execute(cancellation::cancel) }
            threads.execute {
                if (continuation.isActive) {
                    continuation.resumeWith(runCatching { client.cancelledBy(cancellation).call() })
                }
            }
        }
    }

    /** A list that is read page after page, as a flow. */
    fun <T> pages(list: Kaisatsu.() -> Iterable<T>): Flow<T> = flow {
        val values = invoke { list().iterator() }
        while (invoke { values.hasNext() }) {
            emit(values.next())
        }
    }
}
