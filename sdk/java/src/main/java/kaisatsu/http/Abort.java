package kaisatsu.http;

import java.util.ArrayList;
import java.util.List;

/** Tells an exchange that runs in another thread to end. */
public final class Abort {
    private final List<Runnable> actions = new ArrayList<>();
    private boolean aborted;

    /** Creates one that has not been triggered. */
    public Abort() {}

    /** Triggers it: everything that was registered runs, in this thread. A second time has no effect. */
    public void abort() {
        List<Runnable> due;
        synchronized (this) {
            if (aborted) {
                return;
            }
            aborted = true;
            notifyAll();
            due = new ArrayList<>(actions);
            actions.clear();
        }
        for (Runnable action : due) {
            action.run();
        }
    }

    /**
     * Whether it was triggered.
     *
     * @return true from then on
     */
    public synchronized boolean isAborted() {
        return aborted;
    }

    /**
     * Registers what to do; if it was triggered already, this is done at once.
     *
     * @param action ends the exchange; it must not block
     */
    public void onAbort(Runnable action) {
        synchronized (this) {
            if (!aborted) {
                actions.add(action);
                return;
            }
        }
        action.run();
    }

    /**
     * Forgets what was registered.
     *
     * @param action the same object
     */
    public synchronized void remove(Runnable action) {
        actions.remove(action);
    }

    /**
     * Waits.
     *
     * @param millis for how long
     * @return true if it was triggered meanwhile
     * @throws InterruptedException if the thread was interrupted
     */
    public synchronized boolean await(long millis) throws InterruptedException {
        long end = System.nanoTime() + millis * 1_000_000L;
        for (long left = millis; left > 0 && !aborted; left = (end - System.nanoTime() + 999_999L) / 1_000_000L) {
            wait(left);
        }
        return aborted;
    }
}
