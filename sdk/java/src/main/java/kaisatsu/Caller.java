package kaisatsu;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import kaisatsu.error.CancelledException;
import kaisatsu.error.KaisatsuException;
import kaisatsu.error.MalformedAnswerException;
import kaisatsu.error.TimeoutException;
import kaisatsu.error.TransportException;
import kaisatsu.http.Abort;
import kaisatsu.http.HttpRequest;
import kaisatsu.http.NotSentException;

/** Makes a call: attempts, waits between them, time-outs and cancellation. */
final class Caller {
    final Settings settings;

    Caller(Settings settings) {
        this.settings = settings;
    }

    /** Returns a successful answer or throws what the failure is. */
    Answer call(Call call) {
        long end = now() + settings.totalTimeoutMillis;
        String key = call.once ? onceKey() : null; // the same for all attempts, so that the server does the work once
        for (int attempt = 1;; attempt++) {
            KaisatsuException failure;
            double wait = backoff(attempt);
            boolean again;
            try {
                Answer answer = attempt(call, key, attempt, Math.min(settings.timeoutMillis, end - now()));
                if (answer.isSuccess()) {
                    return answer;
                }
                if (answer.status < 400) {
                    String what = "the server answered with status " + answer.status + ", which is not followed";
                    throw new MalformedAnswerException(what, answer.status, answer.requestId);
                }
                failure = answer.failure().toException();
                boolean notBegun = answer.status == 429 || answer.status == 503 && answer.retryAfter != null;
                // 409 with a time: the server is still at work on an attempt before this one.
                boolean atWork = call.once && answer.status == 409 && answer.retryAfter != null;
                again = notBegun || atWork || answer.status == 503 && call.repeatable;
                if (answer.retryAfter != null) {
                    wait = Math.max(wait, answer.retryAfter * 1000);
                }
            } catch (Attempt.Failed e) {
                failure = e.failure;
                again = e.notSent || call.repeatable;
                again &= !(e.getCause() instanceof SSLHandshakeException)
                        && !(e.getCause() instanceof SSLPeerUnverifiedException);
            }
            boolean bodyIsGone = call.body != null && !call.body.isRepeatable();
            if (!again || bodyIsGone || attempt >= settings.attempts || now() + wait >= end) {
                throw failure;
            }
            sleep((long) wait);
        }
    }

    private String onceKey() {
        return settings.idempotencyKey == null ? UUID.randomUUID().toString() : settings.idempotencyKey;
    }

    private Answer attempt(Call call, String key, int number, long timeoutMillis) throws Attempt.Failed {
        Cancellation cancellation = settings.cancellation;
        final Attempt attempt = new Attempt(request(call, key, timeoutMillis), settings.maxAnswerBytes);
        Runnable cancel = attempt::cancel;
        if (cancellation != null) {
            cancellation.abort.onAbort(cancel);
        }
        long start = now();
        Answer answer = null;
        String failure = null;
        try {
            answer = attempt.run(settings.transport, timeoutMillis);
            return answer;
        } catch (Attempt.Failed e) {
            failure = e.kind();
            throw e.withFailure(explain(e, call));
        } catch (KaisatsuException e) {
            failure = e.getClass().getSimpleName();
            throw e;
        } finally {
            if (cancellation != null) {
                cancellation.abort.remove(cancel);
            }
            if (settings.log != null) {
                settings.log.log(new CallRecord(call.method, call.path, number, answer == null ? 0 : answer.status,
                        now() - start, answer == null ? null : answer.requestId, failure));
            }
        }
    }

    private HttpRequest request(Call call, String key, long timeoutMillis) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("User-Agent", settings.userAgent);
        headers.put("Accept", "*/*");
        if (key != null) {
            headers.put("Idempotency-Key", key);
        }
        String url = settings.baseUrl + call.pathAndQuery();
        if (call.withKey && settings.key != null) {
            if (settings.keyIn == KeyIn.HEADER) {
                headers.put("X-API-Key", settings.key);
            } else {
                url += (url.indexOf('?') < 0 ? "?APIKEY=" : "&APIKEY=") + Call.encode(settings.key);
            }
        }
        int timeout = (int) Math.max(1, Math.min(Integer.MAX_VALUE, timeoutMillis));
        return new HttpRequest(call.method, url, headers, call.body, timeout);
    }

    private KaisatsuException explain(Attempt.Failed failed, Call call) {
        Throwable cause = withoutSecrets(failed.getCause(), call) ? failed.getCause() : null;
        switch (failed.reason) {
            case CANCELLED:
                throw new CancelledException("the call was cancelled", cause);
            case TIMEOUT:
                return new TimeoutException(call.method + " " + call.path + ": no answer in time", cause);
            default:
                String why = cause == null ? failed.kind() : failed.kind() + ": " + cause.getMessage();
                return new TransportException(call.method + " " + call.path + ": " + why, cause);
        }
    }

    /** Some messages of the platform quote the whole address. */
    private boolean withoutSecrets(Throwable cause, Call call) {
        for (Throwable t = cause; t != null; t = t.getCause()) {
            String message = String.valueOf(t.getMessage());
            if (settings.key != null && (message.contains(settings.key) || message.contains("APIKEY="))) {
                return false;
            }
            for (String secret : call.secrets) {
                if (message.contains(secret)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Between half and whole of 0.25 s, 0.5 s, 1 s, …, so that many clients do not come back at the same moment. */
    private double backoff(int attempt) {
        double whole = settings.firstBackoffMillis * Math.pow(2, Math.min(attempt - 1, 30));
        return Math.min(whole, settings.maxBackoffMillis) * (0.5 + ThreadLocalRandom.current().nextDouble() / 2);
    }

    /** Waits between attempts, or between two looks at a dataset. */
    void sleep(long millis) {
        Abort abort = settings.cancellation == null ? new Abort() : settings.cancellation.abort;
        try {
            if (abort.await(millis)) {
                throw new CancelledException("the call was cancelled", null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancelledException("the thread was interrupted", e);
        }
    }

    static long now() {
        return System.nanoTime() / 1_000_000L;
    }
}
