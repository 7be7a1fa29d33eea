package kaisatsu.server;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Function;
import kaisatsu.Cancellation;
import kaisatsu.Kaisatsu;

/**
 * Every operation in the form of a future.
 *
 * <pre>{@code
 * AsyncKaisatsu async = new AsyncKaisatsu(client);
 * CompletableFuture<StationPage> near = async.call(c -> c.maps().stationNear(new StationNearQuery(35.69, 139.70)));
 * }</pre>
 *
 * <p>Cancelling the future ends the exchange with the server. A failure is the cause of the future's
 * {@link java.util.concurrent.CompletionException}.
 */
public final class AsyncKaisatsu {
    private final Kaisatsu client;
    private final Executor executor;

    /**
     * Creates one with threads of its own, as many as there are calls at the same time. They do not keep the program
     * running, and end when they are not used for a minute.
     *
     * @param client the client
     */
    public AsyncKaisatsu(Kaisatsu client) {
        this(client, Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work, "kaisatsu-call");
            thread.setDaemon(true);
            return thread;
        }));
    }

    /**
     * Creates one.
     *
     * @param client   the client
     * @param executor runs the calls, each of which blocks one of its threads
     */
    public AsyncKaisatsu(Kaisatsu client, Executor executor) {
        this.client = client;
        this.executor = executor;
    }

    /**
     * Makes a call, or several.
     *
     * @param call what to do with the client that it is given
     * @param <T>  what it returns
     * @return its result, as soon as it is there
     */
    public <T> CompletableFuture<T> call(Function<Kaisatsu, T> call) {
        Cancellation cancellation = new Cancellation();
        CompletableFuture<T> result = new CompletableFuture<>();
        result.whenComplete((value, failure) -> {
            if (result.isCancelled()) {
                cancellation.cancel();
            }
        });
        executor.execute(() -> {
            if (result.isDone()) {
                return;
            }
            try {
                result.complete(call.apply(client.cancelledBy(cancellation)));
            } catch (Throwable failure) {
                result.completeExceptionally(failure);
            }
        });
        return result;
    }
}
