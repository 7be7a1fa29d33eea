package kaisatsu.http;

import java.io.IOException;

/**
 * Sends one request and returns the answer. {@link UrlTransport} is the default; another one puts the library on top of
 * the HTTP client that a program already has. A transport never repeats a request by itself, never follows a redirect,
 * and may be used by several threads at once.
 */
public interface Transport {
    /**
     * Sends a request.
     *
     * @param request what to send
     * @param abort   is triggered when the caller cancels or the time is over; the transport registers what ends the
     *                exchange, so that this method or reading the answer ends with an {@link IOException}
     * @return the answer, whose body may not have arrived yet; the caller closes it
     * @throws NotSentException if nothing of the request has been sent, so that it may be sent again
     * @throws IOException      if the request may have been received and the answer did not come
     */
    HttpResponse send(HttpRequest request, Abort abort) throws IOException;
}
