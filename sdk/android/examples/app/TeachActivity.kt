package example.teach

import android.app.Activity
import android.content.Intent
import android.net.Uri
import android.os.Bundle
import android.os.Handler
import android.os.Looper
import android.widget.Button
import android.widget.LinearLayout
import android.widget.TextView
import java.io.IOException
import kaisatsu.UploadOptions
import kaisatsu.android.DevicePicture
import kaisatsu.android.KaisatsuKit
import kaisatsu.android.RailMapView
import kaisatsu.android.RecognitionState
import kaisatsu.error.KaisatsuException
import kaisatsu.error.UnauthorisedException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.cancel
import kotlinx.coroutines.launch
import java.util.concurrent.Executor

/**
 * An app that says what a picture shows, stores it for its user with a token of the broker, and shows a map. Its key is
 * a restricted one: whoever takes the app apart can do with it what the app does, and nothing else.
 */
class TeachActivity : Activity() {
    // An app with kotlinx-coroutines-android has Dispatchers.Main and lifecycleScope for this.
    private val main = Handler(Looper.getMainLooper())
    private val scope = CoroutineScope(SupervisorJob() + Executor { main.post(it) }.asCoroutineDispatcher())
    private val kaisatsu = KaisatsuKit("https://maps.example.org", "RESTRICTED_KEY")
    private val tokens = Tokens("https://app.example.org/token") { "the session of the app's own sign-in" }
    private lateinit var said: TextView

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        said = TextView(this)
        val choose = Button(this).apply {
            text = "What is this?"
            setOnClickListener {
                val pick = Intent(Intent.ACTION_GET_CONTENT).setType("image/*")
                startActivityForResult(pick, PICTURE)
            }
        }
        val map = RailMapView(this).apply { onStation = { said.text = it.name } }
        val all = LinearLayout(this).apply { orientation = LinearLayout.VERTICAL }
        listOf(choose, said, map).forEach(all::addView)
        setContentView(all)
        scope.launch {
            attempt {
                val tokyo = kaisatsu.maps.railmapList().first { it.id == "tokyo" }
                map.show(kaisatsu, tokyo, scope, 1000.0, 1000.0)
            }
        }
    }

    @Deprecated("Deprecated in Android")
    override fun onActivityResult(request: Int, result: Int, data: Intent?) {
        val uri = data?.data
        if (request == PICTURE && result == RESULT_OK && uri != null) scope.launch { attempt { look(uri) } }
    }

    private suspend fun look(uri: Uri) {
        show(RecognitionState.Working)
        val picture = DevicePicture.of(contentResolver, uri).picture
        val answer = RecognitionState.of(kaisatsu.recognition.classify(picture))
        show(answer)
        val tag = answer.candidates.firstOrNull()?.title ?: return
        try {
            kaisatsu.images.upload(tokens.get(), picture, UploadOptions().tag(tag))
        } catch (e: UnauthorisedException) {
            tokens.forget() // it has expired, or was revoked
            kaisatsu.images.upload(tokens.get(), picture, UploadOptions().tag(tag))
        }
    }

    private suspend fun attempt(work: suspend () -> Unit) {
        try {
            work()
        } catch (e: KaisatsuException) {
            show(RecognitionState.of(e))
        } catch (e: IOException) {
            said.text = e.message
        }
    }

    private fun show(state: RecognitionState) {
        said.text = when (state) {
            RecognitionState.Idle -> ""
            RecognitionState.Working -> "…"
            is RecognitionState.Done ->
                state.candidates.joinToString("\n") { "${it.title} ${(it.score * 100).toInt()}%" }
            is RecognitionState.Failed -> state.message
        }
    }

    override fun onDestroy() {
        scope.cancel()
        super.onDestroy()
    }

    private companion object {
        const val PICTURE = 1
    }
}
