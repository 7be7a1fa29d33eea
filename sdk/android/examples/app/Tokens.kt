package example.teach

import java.io.IOException
import java.net.HttpURLConnection
import java.net.URL
import kaisatsu.json.JsonObject
import kaisatsu.json.JsonReader
import kaisatsu.model.Token
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock
import kotlinx.coroutines.withContext

/**
 * The user's token, from the token broker: a server of the app's own, which knows the session of the app's sign-in. The
 * token is kept in memory and asked for anew when the server refuses it.
 */
class Tokens(private val broker: String, private val session: () -> String) {
    private val lock = Mutex()
    private var token: Token? = null

    suspend fun get(): String = lock.withLock { (token ?: ask().also { token = it }).token }

    /** Forgets the token, after an UnauthorisedException. */
    suspend fun forget() = lock.withLock { token = null }

    private suspend fun ask(): Token = withContext(Dispatchers.IO) {
        val connection = URL(broker).openConnection() as HttpURLConnection
        connection.requestMethod = "POST"
        connection.setRequestProperty("Authorization", "Bearer ${session()}")
        connection.connectTimeout = 10_000
        connection.readTimeout = 10_000
        if (connection.responseCode != 200) throw IOException("the broker answered ${connection.responseCode}")
        Token(JsonObject.of(JsonReader.read(connection.inputStream.use { it.readBytes() })))
    }
}
