package kaisatsu;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import kaisatsu.error.KaisatsuException;
import kaisatsu.error.MalformedAnswerException;
import kaisatsu.http.Abort;
import kaisatsu.http.HttpRequest;
import kaisatsu.http.HttpResponse;
import kaisatsu.http.NotSentException;
import kaisatsu.http.Transport;

/** One request and its answer, read to the end, within a time. */
final class Attempt {
    /** Why an attempt ended without an answer. */
    enum Reason { BROKEN, TIMEOUT, CANCELLED }

    /** Ends exchanges whose time is over: a server that sends a byte now and then never runs into a read time-out. */
    private static final class Watch {
        static final ScheduledThreadPoolExecutor THREAD = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, "kaisatsu-timeouts");
            thread.setDaemon(true);
            return thread;
        });

        static {
            THREAD.setRemoveOnCancelPolicy(true);
            THREAD.setKeepAliveTime(10, TimeUnit.SECONDS);
            THREAD.allowCoreThreadTimeOut(true);
        }
    }

    private final HttpRequest request;
    private final long maxBytes;
    private final Abort abort = new Abort();
    private volatile Reason reason = Reason.BROKEN;

    Attempt(HttpRequest request, long maxBytes) {
        this.request = request;
        this.maxBytes = maxBytes;
    }

    void cancel() {
        stop(Reason.CANCELLED);
    }

    private void stop(Reason why) {
        synchronized (this) {
            if (reason == Reason.BROKEN) {
                reason = why;
            }
        }
        abort.abort();
    }

    Answer run(Transport transport, long timeoutMillis) throws Failed {
        if (reason == Reason.CANCELLED) {
            throw new Failed(new IOException("cancelled before it began"), reason, true);
        }
        ScheduledFuture<?> watch =
                Watch.THREAD.schedule(() -> stop(Reason.TIMEOUT), Math.max(1, timeoutMillis), TimeUnit.MILLISECONDS);
        try {
            return read(transport.send(request, abort));
        } catch (SocketTimeoutException e) {
            throw new Failed(e, reason == Reason.BROKEN ? Reason.TIMEOUT : reason, false);
        } catch (NotSentException e) {
            boolean slow = e.getCause() instanceof SocketTimeoutException && reason == Reason.BROKEN;
            throw new Failed((IOException) e.getCause(), slow ? Reason.TIMEOUT : reason, true);
        } catch (IOException e) {
            throw new Failed(e, reason, false);
        } catch (RuntimeException e) {
            // An exchange that is ended from another thread may stumble over its own pieces.
            if (reason == Reason.BROKEN || e instanceof KaisatsuException) {
                throw e;
            }
            throw new Failed(new IOException(e), reason, false);
        } finally {
            watch.cancel(false);
        }
    }

    private Answer read(HttpResponse response) throws IOException {
        String requestId = response.getHeader("X-Request-Id");
        int status = response.getStatus();
        boolean whole = false;
        try {
            Long declared = wholeNumber(response.getHeader("Content-Length"));
            if (declared != null && declared > maxBytes) {
                throw tooLarge(status, requestId);
            }
            int expected = declared == null ? 1024 : (int) Math.min(declared, 1 << 20);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(expected);
            InputStream body = response.getBody();
            byte[] piece = new byte[16 << 10];
            for (int read = body.read(piece); read >= 0; read = body.read(piece)) {
                bytes.write(piece, 0, read);
                if (bytes.size() > maxBytes) {
                    throw tooLarge(status, requestId);
                }
            }
            if (reason != Reason.BROKEN) {
                throw new IOException("ended by the caller"); // what was read may be cut short
            }
            whole = true;
            Long retryAfter = wholeNumber(response.getHeader("Retry-After"));
            return new Answer(status, response.getHeader("Content-Type"), requestId,
                    retryAfter == null ? null : retryAfter.doubleValue(), bytes.toByteArray());
        } finally {
            response.close(whole);
        }
    }

    private MalformedAnswerException tooLarge(int status, String requestId) {
        return new MalformedAnswerException("the answer has more than " + maxBytes + " bytes", status, requestId);
    }

    private static Long wholeNumber(String text) {
        try {
            long number = text == null ? -1 : Long.parseLong(text.trim());
            return number < 0 ? null : (Long) number;
        } catch (NumberFormatException e) {
            return null; // Retry-After may be a date, which this server never sends
        }
    }

    /** An attempt without an answer. */
    static final class Failed extends Exception {
        private static final long serialVersionUID = 1L;
        final transient Reason reason;
        final boolean notSent;
        transient KaisatsuException failure;

        Failed(IOException cause, Reason reason, boolean notSent) {
            super(cause);
            this.reason = reason;
            this.notSent = notSent;
        }

        Failed withFailure(KaisatsuException explained) {
            failure = explained;
            return this;
        }

        String kind() {
            return reason == Reason.BROKEN ? getCause().getClass().getSimpleName() : reason.name();
        }
    }
}
