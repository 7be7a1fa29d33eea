package kaisatsu.android

import kaisatsu.Kaisatsu
import kaisatsu.model.Health

/**
 * A client of a Kaisatsu server for apps. Every operation is a suspending function: it may be called on the main
 * thread, runs on another one, and ends at once when its coroutine is cancelled. Failures are those of
 * `kaisatsu.error`.
 *
 * It takes a *restricted* key and no other, because whoever has the app has its key. Such a key recognises pictures,
 * reads maps, gives feedback and uses users' tokens; it makes no tokens and changes neither catalogue nor collections,
 * so those operations are not here. The token of a user comes from a server of your own; see the token broker among the
 * examples of the Java SDK.
 */
class KaisatsuKit private constructor(private val calls: Calls) {
    /**
     * @param baseUrl the server's address, such as `https://maps.example.org`
     * @param restrictedKey a key made by `kaisatsu key create --scope restricted`
     * @param configure sets time-outs, attempts, the log and so on
     */
    constructor(baseUrl: String, restrictedKey: String, configure: Kaisatsu.Builder.() -> Unit = {}) : this(
        Calls(
            Kaisatsu.builder(baseUrl, restrictedKey).userAgent("kaisatsu-sdk-android/$VERSION").apply(configure)
                .build(),
        ),
    )

    /** Route maps and stations. */
    val maps = MapOperations(calls)

    /** Recognition of pictures, and feedback on it. */
    val recognition = RecognitionOperations(calls)

    /** The user's datasets. */
    val datasets = DatasetOperations(calls)

    /** The images of the user's storage area. */
    val images = ImageOperations(calls)

    /**
     * The same client for one call that creates something: an upload, a dataset, feedback. The server does the work of
     * the same request with the same [key] once within a day. Every such call has a random key anyway, so that it can
     * be sent again safely; a key that the app keeps makes it safe to repeat the call after the app was restarted.
     */
    fun withIdempotencyKey(key: String): KaisatsuKit = KaisatsuKit(calls.of { withIdempotencyKey(key) })

    /** Whether the server lives. Needs no key. */
    suspend fun health(): Health = calls { health() }

    /** Whether the server is ready for requests. Needs no key. */
    suspend fun ready(): Health = calls { ready() }

    companion object {
        /** The version of this library. */
        const val VERSION: String = "0.1.0"
    }
}
